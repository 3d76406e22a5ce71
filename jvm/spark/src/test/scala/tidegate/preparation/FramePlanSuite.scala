package tidegate
package preparation

import org.apache.spark.sql.execution.SimpleMode
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.own.windows.FrameTest

/** What `EXPLAIN` says of sliding windows. */
class FramePlanSuite extends KeyedStreamTest {
  private val tens = window(col("time"), "10 seconds", "5 seconds")

  private def rows: DataFrame = events().toDF().withKeyedWatermark("time", "0 seconds")

  private def hop(select: String): String =
    s"SELECT $select FROM HOP(TABLE(o), DESCRIPTOR(time), 10 seconds, 5 seconds)"

  private def explained(text: String): String = {
    rows.createOrReplaceTempView("o")
    spark.sql(s"EXPLAIN $text").collect().map(_.getString(0)).mkString("\n")
  }

  private def explained(frame: DataFrame): String = frame.queryExecution.explainString(SimpleMode)

  private def frames(plan: String): Seq[String] = plan.linesIterator
    .flatMap("(FrameAggregate\\(|KeptBySpark: ).*".r.findFirstIn(_))
    .map(_.replaceAll("#\\d+L?", ""))
    .toSeq

  test("windows that slide are put together from frames, in SQL and of frames") {
    val inSql = explained(
      hop("sub, window_end, count(*), max(n) + 1") + " GROUP BY sub, window_end HAVING count(*) > 1"
    )
    assert(
      frames(inSql) === Seq(
        "FrameAggregate(keys=[sub], functions=[count(1), max(n)], windows of 10000 ms by 5000 ms)"
      )
    )
    val ofFrame = explained(rows.groupBy(tens, col("sub")).agg(sum("n")))
    assert(
      frames(ofFrame) === Seq(
        "FrameAggregate(keys=[sub], functions=[sum(n)], windows of 10000 ms by 5000 ms)"
      )
    )
  }

  test("windows in a common table expression have frames, also before the query starts") {
    val text = s"WITH h AS (${hop("*")}) SELECT window_end, count(*) FROM h GROUP BY window_end"
    assert(
      frames(explained(text)) === Seq(
        "FrameAggregate(keys=[all_rows], functions=[count(1)], windows of 10000 ms by 5000 ms)"
      )
    )
  }

  private def aggregated(windows: Column): String =
    explained(rows.groupBy(windows, col("sub")).count())

  for (
    (title, plan) <- Seq[(String, () => String)](
      "windows that slide" -> (() => aggregated(tens)),
      "windows that do not overlap" -> (() => aggregated(window(col("time"), "10 seconds"))),
      "windows that grow" -> (() =>
        explained(
          "SELECT sub, window_start, window_end, count(*) FROM " +
            "CUMULATE(TABLE(o), DESCRIPTOR(time), 5 seconds, 10 seconds) GROUP BY 1, 2, 3"
        )
      ),
      "sessions" -> (() => aggregated(session_window(col("time"), "3 seconds")))
    )
  ) test(s"$title: a row is shuffled once, by the keys, after its frame was aggregated") {
    val lines = plan().linesIterator.toSeq
    assert(lines.count(_.contains("Exchange")) === 1)
    val below = lines.dropWhile(!_.contains("Exchange hashpartitioning(sub#"))
    assert(below.exists(_.contains("partial_count(1)")), lines.mkString("\n"))
    assert(!lines.exists(_.contains("Expand")))
  }

  test("each of the windows that do not overlap is a frame") {
    val tumbling = rows.groupBy(window(col("time"), "10 seconds"), col("sub")).count()
    assert(
      frames(explained(tumbling)) === Seq(
        "FrameAggregate(keys=[sub], functions=[count(1)], windows of 10000 ms by 10000 ms)"
      )
    )
    val alone = explained("""
      SELECT window_start, window_end, count(*)
      FROM CUMULATE(TABLE(o), DESCRIPTOR(time), 5 seconds, 5 seconds) GROUP BY 1, 2""")
    assert(
      frames(alone) === Seq(
        "FrameAggregate(keys=[all_rows], functions=[count(1)], " +
          "windows that grow by 5000 ms up to 5000 ms)"
      )
    )
  }

  test("windows that grow have frames, as long as a step") {
    val plan = explained("""
      SELECT window_start, window_end, count(*)
      FROM CUMULATE(TABLE(o), DESCRIPTOR(time), 5 seconds, 10 seconds) GROUP BY 1, 2""")
    assert(
      frames(plan) === Seq(
        "FrameAggregate(keys=[all_rows], functions=[count(1)], " +
          "windows that grow by 5000 ms up to 10000 ms)"
      )
    )
    assert(!plan.contains("Generate"))
  }

  test("windows over Spark's own watermark are Spark's") {
    val plan = events().toDF().withWatermark("time", "0 seconds").groupBy(tens).count()
    assert(frames(explained(plan)) === Nil)
  }

  private val byWindow = " GROUP BY window_start, window_end"
  private val windows = "window_start, window_end"

  for (
    (title, text, reason) <- Seq(
      (
        "distinct",
        hop(s"$windows, count(DISTINCT sub COLLATE UTF8_LCASE)") + byWindow,
        "count(DISTINCT collate(o.sub, UTF8_LCASE)) is distinct, and cannot be merged"
      ),
      (
        "an aggregate of the window",
        hop(s"$windows, max(window_end)") + byWindow,
        "max(window_end) looks at the window"
      ),
      (
        "a key of window and row",
        hop(s"$windows, window_end - time, count(*)") + byWindow + ", window_end - time",
        "the key (window_end - o.time) is made of the window and the row"
      ),
      (
        "a filter of window and row",
        hop(s"$windows, count(*)") + " WHERE time < window_start + INTERVAL 3 SECONDS" + byWindow,
        "a filter below the aggregation compares the window with the row: " +
          "(o.time < CAST(window_start + INTERVAL '03' SECOND AS TIMESTAMP))"
      ),
      (
        "a random column in between",
        s"SELECT $windows, count(r) FROM (${hop("*, rand(1) AS r")})" + byWindow,
        "an expression between the window function and the aggregation is not deterministic"
      ),
      (
        "a join in between",
        s"SELECT $windows, count(*) FROM (${hop("*")}) JOIN VALUES (1) AS s (n) USING (n)" +
          byWindow,
        "there is a Join between the window function and the aggregation"
      )
    )
  ) test(s"no frames: $title") {
    assert(frames(explained(text)) === Seq(s"KeptBySpark: $reason"))
  }

  test("no frames: a size that is no multiple of the slide") {
    val plan = rows.groupBy(window(col("time"), "10 seconds", "4 seconds")).count()
    val reason = "the size of the windows, 10000 ms, is not a multiple of their slide, 4000 ms"
    assert(frames(explained(plan)) === Seq(s"KeptBySpark: $reason"))
  }

  test("no frames: they are turned off") {
    withConf("spark.tidegate.windows.enabled" -> "false") {
      val plan = explained(rows.groupBy(tens).count())
      assert(frames(plan) === Seq("KeptBySpark: spark.tidegate.windows.enabled is false"))
    }
  }

  test("no frames: the output mode is another one") {
    for (mode <- Seq(OutputMode.Update(), OutputMode.Complete())) {
      val in = events()
      val run = new Run(
        in.toDF().withKeyedWatermark("time", "0 seconds").groupBy(tens).count(),
        mode = mode
      ).start()
      in.addData(event("a", 1))
      run.settle()
      val plan = FrameTest.planOf(run.query).toString
      val reason =
        s"the output mode is ${mode.toString.toLowerCase}, and only append waits for windows"
      assert(frames(plan) === Seq(s"KeptBySpark: $reason"))
      run.stop()
    }
  }

  test("a setting that is neither true nor false is refused") {
    withConf("spark.tidegate.windows.enabled" -> "maybe") {
      val e = intercept[org.apache.spark.sql.AnalysisException](
        new Run(rows.groupBy(tens).count()).start()
      )
      assert(
        e.getMessage.startsWith(
          "[TIDEGATE_INVALID_SETTING] The setting spark.tidegate.windows.enabled is 'maybe', but " +
            "must be 'true' or 'false'."
        )
      )
    }
  }

  test("EXPLAIN plans a statement over a keyed stream, and tells the errors of others") {
    assert(explained("SELECT * FROM o").contains("KeyedWatermark time: time#"))
    assert(explained("SELECT nothing FROM o").contains("UNRESOLVED_COLUMN"))
  }

  test("the plan of a batch does not grow with the number of windows in a row") {
    val sizes = Seq("20 seconds", "1 hour").map { size =>
      val in = events()
      val counts = in
        .toDF()
        .withKeyedWatermark("time", "0 seconds")
        .groupBy(window(col("time"), size, "10 seconds"))
        .count()
      val run = new Run(counts).start()
      in.addData(event("a", 5), event("a", 25))
      run.settle()
      val plan = SparkInternals.execution(run.query).get.logicalPlan
      run.stop()
      plan.map(_.expressions.map(_.collect { case e => e }.size).sum).sum
    }
    assert(sizes.distinct.size === 1)
  }
}
