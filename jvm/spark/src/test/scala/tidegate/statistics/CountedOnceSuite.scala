package tidegate
package statistics

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.tidegate.{SparkInternals, TestClock, TestQueries}
import org.apache.spark.sql.{DataFrame, Dataset, Row}
import tidegate.execution.KeyedWatermarkExec

/** What a batch counts does not depend on how often, and in which partitions, it is read. */
class CountedOnceSuite extends KeyedStreamTest {

  /** In generated code, and in plain iterators. */
  private def inBothForms(title: String)(body: => Unit): Unit =
    Seq(true, false).foreach { generated =>
      test(s"$title, ${if (generated) "in generated code" else "in iterators"}") {
        withConf(
          "spark.sql.codegen.wholeStage" -> generated.toString,
          "spark.sql.shuffle.partitions" -> "2"
        )(body)
      }
    }

  private val readings = Seq[(String, Dataset[Row] => Unit)](
    "an action after another" -> { batch =>
      collect(batch)
      collect(batch)
    },
    "coalesced" -> (batch => collect(batch.coalesce(1))),
    "coalesced in the second action" -> { batch =>
      collect(batch)
      collect(batch.coalesce(1))
    },
    "a part first" -> { batch =>
      batch.head(1)
      collect(batch)
    },
    "beside other rows" -> { batch =>
      collect(batch.filter("false").union(batch))
      collect(batch)
    },
    "twice in one task" -> (batch => collect(batch.union(batch).coalesce(1)))
  )

  private def collect(rows: Dataset[Row]): Unit = {
    rows.collect()
    ()
  }

  private def start(df: DataFrame)(batch: Dataset[Row] => Unit): StreamingQuery =
    TestQueries.start(
      df,
      newCheckpoint().toString,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      new TestClock(1000000000L)
    )((rows, _) => batch(rows))

  for ((title, read) <- readings) inBothForms(s"late rows: $title") {
    val in = events()
    // No shuffle between the operator and its batch: a second one would not run again.
    val keyed = in.toDF().repartition(2, col("n")).withKeyedWatermark("time", "0 seconds")
    val query = start(keyed.dropDuplicatesWithinWatermark("n"))(read)
    in.addData(event("a", 105, 0))
    query.processAllAvailable()
    in.addData((1 to 8).map(event("a", 5, _)): _*)
    query.processAllAvailable()
    in.addData(event("a", 106, 9))
    query.processAllAvailable()
    assert(watermarks(query).operators("deduplicateWithinWatermark").lateRows === 8L)
    assert(
      query.recentProgress.flatMap(_.stateOperators).map(_.numRowsDroppedByWatermark).sum === 8L
    )
  }

  test("the node of the plan shows the events in the future, each once") {
    val in = events()
    val keyed =
      in.toDF().withKeyedWatermark("time", "0 seconds", name = "guarded", maxFutureSkew = "1 hour")
    var shown = Seq.empty[Long]
    val query = start(keyed) { batch =>
      batch.collect()
      batch.collect()
      val running = spark.streams.active.flatMap(SparkInternals.plannedExecution).head
      shown ++= SparkInternals.lastPlan(running).get.collect { case k: KeyedWatermarkExec =>
        k.metrics("numFutureRows").value
      }
    }
    in.addData((1 to 8).map(event("a", 1000000 + 7200, _)) :+ event("a", 5, 9): _*)
    query.processAllAvailable()
    assert(shown === Seq(8L))
    query.stop()
  }

  // A batch that is read twice in one task is seen twice by the watermark's node.
  for ((title, read) <- readings.init) inBothForms(s"events in the future: $title") {
    val in = events()
    val keyed = in
      .toDF()
      .repartition(2, col("n"))
      .withKeyedWatermark("time", "0 seconds", name = "guarded", maxFutureSkew = "1 hour")
    val query = start(keyed)(read)
    in.addData((1 to 8).map(event("a", 1000000 + 7200, _)): _*)
    query.processAllAvailable()
    in.addData(event("a", 5, 9))
    query.processAllAvailable()
    query.processAllAvailable()
    assert(watermarks(query).watermarks("guarded").futureEvents === 8L)
  }

  inBothForms("late rows of a union, whose inputs have partitions of the same number") {
    val (one, other) = (events(), events())
    val run = new Run(
      one
        .toDF()
        .union(other.toDF())
        .withKeyedWatermark("time", "0 seconds")
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    ).start()
    one.addData(event("a", 105))
    other.addData(event("b", 105))
    run.settle()
    one.addData(event("a", 5), event("a", 6))
    other.addData(event("b", 7))
    run.settle()
    assert(run.lateRows.values.toSeq === Seq(3L))
  }

  private def joined(rows: DataFrame): DataFrame = rows
    .withKeyedWatermark("time", "0 seconds")
    .join(
      rows
        .select(col("time").as("other"), col("n").as("m"))
        .withKeyedWatermark("other", "0 seconds", key = 1),
      expr("n = m AND other BETWEEN time AND time + INTERVAL 5 SECONDS")
    )

  private val stateful = Seq[(String, DataFrame => DataFrame, Long)](
    ("a join", joined, 8),
    (
      "event-time order",
      _.withKeyedWatermark("time", "0 seconds").orderByEventTime(Seq("n")).toDF(),
      8
    ),
    (
      "a deduplication",
      _.withKeyedWatermark("time", "1 second").dropDuplicatesWithinWatermark("n"),
      8
    ),
    (
      "sessions",
      _.withKeyedWatermark("time", "0 seconds")
        .groupBy(session_window(col("time"), "5 seconds"), col("n"))
        .count(),
      8
    )
  )

  // A task of the batch has all partitions of the state.
  for ((title, query, rows) <- stateful; parts <- Seq(1, 4))
    test(s"rows of the state, $title: coalesced to $parts of 4 partitions") {
      withConf("spark.sql.shuffle.partitions" -> "4") {
        val in = events()
        val running = start(query(in.toDF()))(batch => collect(batch.coalesce(parts)))
        in.addData((1 to 8).map(event("a", 105, _)): _*)
        running.processAllAvailable()
        assert(running.lastProgress.stateOperators.map(_.numRowsTotal).toSeq === Seq(rows))
        running.stop()
      }
    }
}
