package tidegate
package own.deduplication

import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.own.HarnessTest
import tidegate.settings.Settings.{DeduplicationEnabled, NoDataBatchesOnlyWhenDue}

/** Deduplication that finds expired keys by time, against Spark's operators on the same rows. */
class DeduplicateByTimeSuite extends HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "by odd types: kills",
    "by a window: kills",
    "of all columns: kills",
    "of all columns: row"
  )

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "3 seconds")

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "dropDuplicates" -> (keyed(_).dropDuplicates("sub", "time")),
    "dropDuplicates by a window" ->
      (keyed(_).withColumn("w", window(col("time"), "2 seconds")).dropDuplicates("sub", "w")),
    "dropDuplicates of all columns" -> (keyed(_).dropDuplicates()),
    "dropDuplicatesWithinWatermark" -> (keyed(_).dropDuplicatesWithinWatermark("sub", "n")),
    "dropDuplicates by odd types" -> { rows =>
      keyed(rows)
        .select(
          col("*"),
          when(col("n") > 0, col("n").cast("decimal(38,3)")).as("d"),
          array(col("sub"), lit(null)).as("a"),
          struct(col("sub"), lit(Double.NaN).as("nan")).as("s"),
          col("sub").cast("binary").as("b"),
          (-lit(0.0) * col("n")).as("zero")
        )
        .dropDuplicates("d", "a", "s", "b", "zero", "time")
        .withColumn("b", hex(col("b")))
    }
  )

  /**
   * Batches whose time moves on, jumps by years, and stands still; with NULL times and sizes of 0.
   */
  private def batches(seed: Int): Seq[Seq[Event]] = {
    val random = new Random(seed)
    var now = if (seed % 2 == 0) -20.0 else 100.0
    (1 to 12).map { i =>
      now += (i match {
        case 7     => 100000000.0
        case 3 | 4 => 0.0
        case _     => random.nextInt(6).toDouble
      })
      Seq.fill(random.nextInt(12)) {
        val e = event(
          "abc".charAt(random.nextInt(3)).toString,
          now - random.nextInt(5),
          random.nextInt(3)
        )
        if (random.nextInt(10) == 0) e.copy(time = null.asInstanceOf[Timestamp]) else e
      }
    }
  }

  /** The rows of each step, and then the rows of the state; with a restart before every step. */
  private def steps(query: DataFrame => DataFrame, seed: Int, byTime: Boolean): Seq[String] =
    // Spark's operators have a batch whenever time moves.
    withConf(
      DeduplicationEnabled.key -> byTime.toString,
      NoDataBatchesOnlyWhenDue.key -> "false"
    ) {
      val in = feed()
      val run = harness(query(in.toDF()))
      batches(seed).map { rows =>
        run.restart()
        in.addData(rows)
        run.settle()
        val name = if (byTime) "deduplicateByTime" else "dedupe"
        assert(run.operators.forall(_.startsWith(name)), run.operators)
        val total = run.plan.fold(0L)(_ => run.stateRows)
        (run.take() :+ s"$total rows of state").mkString(", ")
      }
    }

  for (((title, query), i) <- queries.zipWithIndex)
    test(s"$title: row for row as Spark's operator") {
      for ((stores, seed) <- inPairs(i)) withClue(s"seed $seed: ") {
        val ofSpark = steps(query, seed, byTime = false)
        assert(ofSpark.exists(_.contains("|")))
        on(stores)(assert(steps(query, seed, byTime = true) === ofSpark))
      }
    }

  test("in a stream, row for row as in the harness") {
    withConf(DeduplicationEnabled.key -> "true", NoDataBatchesOnlyWhenDue.key -> "false") {
      val query = queries(3)._2
      val in = events()
      val run = new Run(query(in.toDF())).start()
      val found = batches(3).map { rows =>
        run.restart()
        in.addData(rows)
        run.settle()
        val states = run.query.lastProgress.stateOperators.toSeq
        assert(states.forall(_.operatorName == "deduplicateByTime"))
        (run.take() :+ s"${states.map(_.numRowsTotal).sum} rows of state").mkString(", ")
      }
      run.stop()
      assert(found === steps(query, 3, byTime = true))
    }
  }

  for ((title, query) <- queries)
    test(s"$title: kills change nothing") {
      withConf(DeduplicationEnabled.key -> "true") {
        val rows = batches(5).map(_.filter(_.time != null)).filter(_.nonEmpty)
        onEach(assert(checkKilled(query(feed(rows: _*).toDF())).rows.nonEmpty))
      }
    }

  for (first <- Seq(true, false))
    test(s"the checkpoint decides, if the setting was $first and is changed") {
      val in = feed()
      val run = harness(queries.head._2(in.toDF()))
      def at(byTime: Boolean)(second: Double*): Seq[String] =
        withConf(DeduplicationEnabled.key -> byTime.toString) {
          run.start()
          in.addData(second.map(event("a", _)))
          run.settle()
          assert(run.operators === Seq(if (first) "deduplicateByTime" else "dedupe"))
          run.take()
        }
      assert(at(first)(10, 11, 10).size === 2)
      assert(at(!first)(11, 12).size === 1)
      assert(at(first)(12, 100).size === 1)
    }

  test("a checkpoint whose keys the query has no place for is refused, and goes on later") {
    val in = feed()
    var query = queries.head._2
    val run = harness(query(in.toDF()))
    withConf(DeduplicationEnabled.key -> "true") {
      run.start()
      in.addData(event("a", 10))
      run.settle()
    }
    query = keyed(_).dropDuplicates("sub")
    val error = intercept[AnalysisException](run.start())
    assert(
      error.getMessage === "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of " +
        "`deduplicate`: the keys of a deduplication. But the query cannot use them: no key is an " +
        "event time, so no key ever leaves. Start the query as it was, or with a new checkpoint; " +
        "nothing in this one was changed. SQLSTATE: 42K03"
    )
    query = queries.head._2
    run.clear()
    run.start()
    in.addData(event("a", 10), event("b", 10))
    assert(run.settle().rows.size === 1)
  }

  for {
    (title, span) <- Seq(
      "is an interval" -> "IF(n > 0, make_interval(0, 0, 0, 0, n), NULL)",
      "has an interval inside" -> "struct(array(IF(n > 0, make_interval(0, 0, 0, 0, n), NULL)))"
    )
  } test(s"a key that $title leaves Spark's operator") {
    withConf(DeduplicationEnabled.key -> "true") {
      val in = feed()
      val spans = keyed(in.toDF())
        .withColumn("span", expr(span))
        .dropDuplicatesWithinWatermark("span")
      val run = harness(spans.drop("span")).start()
      in.addData(event("a", 10, 1), event("b", 10, 1), event("a", 11, 2))
      assert(run.settle().rows.size === 2)
      assert(run.operators === Seq("dedupeWithinWatermark"))
    }
  }

  test("query.explain() names the operator") {
    for (byTime <- Seq(true, false); (_, query) <- queries.take(1))
      withConf(DeduplicationEnabled.key -> byTime.toString) {
        val in = events()
        in.addData(event("a", 10))
        val run = new Run(query(in.toDF())).start().settle()
        val plan = ReadableTextSuite.explained(run.query, extended = false)
        val found = "(DeduplicateByTime|StreamingDeduplicate)\\w*".r.findFirstIn(plan)
        assert(found.exists(_.startsWith("DeduplicateByTime")) === byTime, found)
        run.stop()
      }
  }

  test("Spark reads the keys, and the pages in which their times are") {
    assume(SparkFeatures.readsState(spark.conf))
    withConf(DeduplicationEnabled.key -> "true")(onEach {
      val in = feed()
      val run = harness(queries(3)._2(in.toDF())).start()
      in.addData((1 to 1000).map(i => event("a", 10.0 + i % 3, i)))
      run.settle()
      assert(run.stateRows === 1000)
      run.stop()
      val state = spark.read
        .format("statestore")
        .option("operatorId", 1000L)
        .load(run.checkpoint.toString)
      val keys = state.where("key.due_page IS NULL")
      assert(keys.select("key.n", "value.expiresAtMicros").distinct().count() === 1000)
      val entries = state
        .select("value.due.entries.*")
        .selectExpr("explode(arrays_zip(n, due_at)) AS entry")
      assert(entries.distinct().count() === 1000)
      assert(state.where("value.due.buckets IS NOT NULL").count() > 0)
    })
  }

  test("keys with the names of the state's own columns") {
    assume(SparkFeatures.readsState(spark.conf))
    withConf(DeduplicationEnabled.key -> "true")(onEach {
      val in = feed()
      val renamed = in
        .toDF()
        .withKeyedWatermark("time", "2 seconds")
        .withColumn("due_at", col("n"))
        .withColumn("Due_Page", col("n"))
      val run =
        harness(renamed.dropDuplicatesWithinWatermark("due_at", "Due_Page", "sub")).start()
      in.addData(event("a", 10, 1), event("a", 11, 1), event("a", 11, 2))
      run.settle().stop()
      assert(run.rows.size === 2)
      val state = spark.read
        .format("statestore")
        .option("operatorId", 1000L)
        .load(run.checkpoint.toString)
      assert(
        state.select("key.*").columns.toSet === Set("due_at_2", "Due_Page_2", "sub", "due_page")
      )
      val times = "explode(value.due.entries.due_at)"
      assert(state.where("key.due_page IS NOT NULL").selectExpr(times).count() > 0)
      assert(state.where("key.due_page IS NULL").select("key.due_at_2").distinct().count() === 2)
    })
  }

  test("the lowest time there is: a key stays before the first watermark") {
    val in = feed()
    val lowest = expr(s"if(n = 0, timestamp_micros(${Long.MinValue}), NULL)")
    val run = harness(
      in.toDF()
        .withColumn("time", lowest)
        .withKeyedWatermark("time", "3 seconds")
        .dropDuplicates("n", "time")
        .select("n")
    )
    val rows = (1 to 2).map { _ =>
      run.restart()
      in.addData(event("a", 1, 0))
      run.settle()
      run.take().size
    }
    assert(rows === Seq(1, 0))
  }
}
