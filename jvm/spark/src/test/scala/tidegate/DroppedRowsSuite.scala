package tidegate

import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.tidegate.{LogLine, TestClock, TestQueries}
import org.apache.spark.sql.{DataFrame, Dataset, Row}
import tidegate.settings.Settings
import tidegate.statistics.LateRows

/** `numRowsDroppedByWatermark` in the progress of a query: the rows that were late, each once. */
class DroppedRowsSuite extends KeyedStreamTest {

  private def dropped(query: StreamingQuery): Map[String, Long] =
    query.recentProgress.toSeq
      .flatMap(_.stateOperators)
      .groupMapReduce(_.operatorName)(_.numRowsDroppedByWatermark)(_ + _)
      .filter(_._2 > 0)

  /** Spark's operators where Tidegate has its own. */
  private val ofSpark = Seq(
    Settings.DeduplicationEnabled.key -> "false",
    Settings.JoinEnabled.key -> "false",
    Settings.SessionsEnabled.key -> "false"
  )

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "0 seconds")

  /** Sends rows of which two are late, to an operator that Spark calls `operator`. */
  private def counted(
      name: String,
      operator: String,
      mode: OutputMode = OutputMode.Append(),
      settings: Seq[(String, String)] = Nil
  )(query: DataFrame => DataFrame): Unit = test(name) {
    val in = events()
    val run = withConf(settings: _*)(new Run(query(keyed(in.toDF())), mode = mode).start())
    in.addData(event("a", 5), event("b", 105))
    run.settle()
    in.addData(event("a", 6), event("b", 7), event("c", 130))
    run.settle()
    in.addData(event("c", 131))
    run.settle()
    assert(dropped(run.query) === Map(operator -> 2L))
    assert(run.lateRows.values.toSeq === Seq(2L))
  }

  counted("an aggregation over windows", "frameAggregate")(
    _.groupBy(window(col("time"), "10 seconds")).count()
  )

  counted("an aggregation in update mode", "stateStoreSave", OutputMode.Update())(
    _.groupBy(window(col("time"), "10 seconds"), col("sub")).count()
  )

  counted("windows from frames", "frameAggregate")(
    _.groupBy(window(col("time"), "20 seconds", "10 seconds")).count()
  )

  private def sessions(rows: DataFrame): DataFrame =
    rows.groupBy(session_window(col("time"), "3 seconds"), col("sub")).count()

  counted("sessions", "sessionAggregate")(sessions)

  counted("Spark's sessions", "sessionWindowStateStoreSaveExec", settings = ofSpark)(sessions)

  counted("deduplication", "deduplicateByTime")(_.dropDuplicates("time", "n"))

  counted("deduplication within the watermark", "deduplicateByTime")(
    _.dropDuplicatesWithinWatermark("n", "time")
  )

  counted("Spark's deduplication", "dedupe", settings = ofSpark)(_.dropDuplicates("time", "n"))

  counted(
    "Spark's deduplication within the watermark",
    "dedupeWithinWatermark",
    settings = ofSpark
  )(
    _.dropDuplicatesWithinWatermark("n", "time")
  )

  counted("event-time order", "orderByEventTime")(_.orderByEventTime(Seq("sub")))

  for (
    (title, operator, settings) <- Seq(
      ("a join", "intervalJoin", Nil),
      ("Spark's join", "symmetricHashJoin", ofSpark)
    )
  ) test(s"$title: the rows of both sides")(withConf(settings: _*) {
    val (left, right) = (events(), events())
    val orders = keyed(left.toDF().select(col("n").as("id"), col("time"))).select("id", "time")
    val deliveries = right
      .toDF()
      .select(col("n").as("id"), col("time").as("delivery_time"))
      .withKeyedWatermark("delivery_time", "0 seconds", key = 1)
    val run = new Run(
      orders.streamJoin(
        deliveries,
        Seq("id"),
        "inner",
        Between("delivery_time", "time", "0 seconds", "10 seconds")
      )
    ).start()
    left.addData(event("a", 100, 1))
    right.addData(event("a", 100, 2))
    run.settle()
    left.addData(event("a", 5, 3), event("a", 110, 4))
    right.addData(event("a", 6, 3), event("a", 7, 4), event("a", 110, 5))
    run.settle()
    assert(run.lateRows === Map("join.left" -> 1L, "join.right" -> 2L))
    assert(dropped(run.query) === Map(operator -> 3L))
  })

  /** Sends rows of which a filter removes one late row of two; `counts` is how many are late. */
  private def filtered(title: String, counts: Long)(query: DataFrame => DataFrame): Unit =
    test(s"a filter $title") {
      val in = events()
      val run = new Run(query(keyed(in.toDF()))).start()
      in.addData(event("a", 105))
      run.settle()
      in.addData(event("a", 5, 0), event("b", 6, 1), event("c", 7, 2), event("c", 130))
      run.settle()
      assert(run.lateRows.values.sum === counts)
    }

  filtered("after the time is made: all late rows count", counts = 3)(
    _.where("n <> 1").dropDuplicates("time", "n")
  )

  filtered("after the window is made", counts = 3)(
    _.select(window(col("time"), "10 seconds"), col("n")).where("n <> 1").groupBy("window").count()
  )

  filtered("after the window is made, written above the aggregation", counts = 3)(
    _.groupBy(window(col("time"), "10 seconds"), col("n")).count().where("n <> 1")
  )

  filtered("before the aggregation makes the window: only rows that are left count", counts = 2)(
    _.where("n <> 1").groupBy(window(col("time"), "10 seconds")).count()
  )

  filtered("before the aggregation makes sliding windows", counts = 2)(
    _.where("n <> 1").groupBy(window(col("time"), "20 seconds", "10 seconds")).count()
  )

  filtered("before the aggregation makes sessions", counts = 2)(
    _.where("n <> 1").groupBy(session_window(col("time"), "3 seconds"), col("sub")).count()
  )

  test("two actions on a batch") {
    val in = events()
    val query = start(keyed(in.toDF()).dropDuplicates("time", "n")) { batch =>
      batch.collect()
      batch.collect()
      ()
    }
    in.addData(event("a", 105))
    query.processAllAvailable()
    in.addData(event("a", 5), event("b", 6))
    query.processAllAvailable()
    assert(dropped(query) === Map("deduplicateByTime" -> 2L))
    assert(watermarks(query).operators("deduplicate").lateRows === 2L)
  }

  test("a task that runs again") {
    val late = new LateRows
    val metric = SQLMetrics.createMetric(spark.sparkContext, "dropped")
    late.addTo(metric)
    def attempt(rows: Int): LateRows = {
      val inTask = new LateRows
      val pass = inTask.begin(partition = 0)
      (1 to rows).foreach(i => pass.drop(LogLine(s"row $i")))
      inTask
    }
    Seq(3 -> 3, 2 -> 3, 4 -> 4).foreach { case (rows, total) =>
      late.merge(attempt(rows))
      assert(metric.value === total)
    }
  }

  private def start(df: DataFrame)(batch: Dataset[Row] => Unit): StreamingQuery =
    TestQueries.start(
      df,
      newCheckpoint().toString,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      new TestClock(1000000000L)
    )((rows, _) => batch(rows))
}
