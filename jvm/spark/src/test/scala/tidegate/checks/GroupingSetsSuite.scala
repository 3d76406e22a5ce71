package tidegate
package checks

import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.own.HarnessTest

/** Grouping sets over a stream: each needs the column by which its groups leave the state. */
class GroupingSetsSuite extends HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "with Spark's windows",
    "beside a column",
    "twice the same set",
    "of a plain time: as"
  )

  private val windows = "TUMBLE(TABLE(o), DESCRIPTOR(time), 10 seconds)"

  private def view(rows: DataFrame): Unit =
    rows
      .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"))
      .createOrReplaceTempView("o")

  private def query(text: String): DataFrame = {
    view(events().toDF())
    spark.sql(text)
  }

  private def refused(set: String, column: String, mode: OutputMode = OutputMode.Append())(
      text: String
  ): Unit = {
    val error = intercept[AnalysisException](new Run(query(text), mode = mode).start())
    assert(
      error.getMessage.linesIterator.next().split("; line").head ===
        s"[TIDEGATE_GROUPING_SET] The grouping set $set of a stream leaves out `$column`, by which " +
        "groups leave the state: its groups would stay in the state for ever. Put " +
        s"`$column` into each grouping set; instead of ROLLUP or CUBE, write GROUPING SETS. " +
        "SQLSTATE: 42K0E"
    )
    ()
  }

  private val spark10 = "window(time, '10 seconds')"

  test("ROLLUP") {
    refused("()", "window_end")(
      s"SELECT window_end, sub, count(*) FROM $windows GROUP BY ROLLUP (window_end, sub)"
    )
    refused("()", "window")(
      s"SELECT $spark10, sub, count(*) FROM o GROUP BY ROLLUP ($spark10, sub)"
    )
  }

  test("CUBE") {
    refused("(`sub`)", "window")(
      s"SELECT $spark10, sub, count(*) FROM o GROUP BY CUBE ($spark10, sub)"
    )
    refused("(`sub`, `n`)", "window")(
      s"SELECT $spark10, sub, n, count(*) FROM o GROUP BY CUBE ($spark10, sub, n)"
    )
  }

  test("GROUPING SETS") {
    refused("(`sub`)", "window_end")(
      s"""SELECT window_start, window_end, sub, count(*) FROM $windows
        GROUP BY GROUPING SETS ((window_start, window_end, sub), (sub))"""
    )
    refused("(`sub`, `window_start`)", "window_end")(
      s"""SELECT window_start, window_end, sub, count(*) FROM $windows
        GROUP BY GROUPING SETS ((window_end, sub), (window_start, sub))"""
    )
  }

  test("by the start of the window alone: a set without it has no end either") {
    refused("(`sub`)", "window_end")(
      s"SELECT window_start, sub, count(*) FROM $windows GROUP BY GROUPING SETS ((window_start), (sub))"
    )
  }

  test("sliding windows, and a plain time") {
    val hop = "HOP(TABLE(o), DESCRIPTOR(time), 10 seconds, 5 seconds)"
    refused("()", "window_end")(
      s"SELECT window_end, count(*) FROM $hop GROUP BY GROUPING SETS ((window_end), ())"
    )
    val sliding = "window(time, '10 seconds', '5 seconds')"
    refused("(`sub`)", "window")(
      s"SELECT $sliding, sub, count(*) FROM o GROUP BY GROUPING SETS (($sliding, sub), (sub))"
    )
    refused("(`sub`)", "time")(
      "SELECT time, sub, count(*) FROM o GROUP BY GROUPING SETS ((time), (time, sub), (sub))"
    )
  }

  test("output mode update keeps such groups too") {
    refused("()", "window_end", OutputMode.Update())(
      s"SELECT window_end, sub, count(*) FROM $windows GROUP BY ROLLUP (window_end, sub)"
    )
  }

  test("output mode complete keeps all groups anyway") {
    val in = events()
    view(in.toDF())
    val run = new Run(
      spark.sql(s"SELECT window_end, count(*) FROM $windows GROUP BY ROLLUP (window_end)"),
      mode = OutputMode.Complete()
    ).start()
    in.addData(event("a", 5), event("a", 15))
    run.settle()
    val last = run.byBatch(run.byBatch.keys.max)
    assert(last === Seq("10|1", "20|1", "null|2"))
  }

  private lazy val folder = files(
    Seq(event("a", 3, 1), event("b", 4, 2), event("a", 11, 2)),
    Seq(event("a", 30), event("b", 31)),
    Seq(event("a", 32), event("b", 33)),
    // Late.
    Seq(event("a", 1), event("a", 36), event("b", 37)),
    Seq(event("a", 99999), event("b", 99999))
  )

  private val whole = Seq(
    "with our windows" ->
      s"""SELECT window_start, window_end, sub, n, count(*) FROM $windows GROUP BY GROUPING SETS
        ((window_start, window_end, sub), (window_start, window_end, n), (window_start, window_end))""",
    "by the start alone" ->
      s"""SELECT window_start, sub, count(*) FROM $windows GROUP BY GROUPING SETS
        ((window_start, sub), (window_start))""",
    "with Spark's windows" ->
      s"""SELECT $spark10, sub, count(*) FROM o GROUP BY GROUPING SETS
        (($spark10, sub), ($spark10))""",
    "with Spark's sliding windows" ->
      """SELECT window(time, '10 seconds', '5 seconds'), sub, count(*) FROM o GROUP BY
        window(time, '10 seconds', '5 seconds'), ROLLUP (sub)""",
    "beside a column that all sets have" ->
      s"SELECT window_end, sub, n, count(*) FROM $windows GROUP BY window_end, CUBE (sub, n)",
    "twice the same set" ->
      s"""SELECT window_end, sub, count(*) FROM $windows GROUP BY GROUPING SETS
        ((window_end, sub), (window_end, sub))""",
    "of a plain time" ->
      "SELECT time, sub, count(*) FROM o GROUP BY GROUPING SETS ((time, sub), (time))"
  )

  for ((name, text) <- whole)
    test(s"each set has the window, $name: as on a table") {
      val run = checkKilled {
        view(feedOf(folder).toDF())
        spark.sql(text)
      }
      view(table(folder).where("time <> timestamp_seconds(1)"))
      def closed(rows: Seq[String]) = rows.filterNot(r => r.contains("999") || r.contains("10000"))
      val batch = spark.sql(text).collect().toSeq.map(KeyedStreamTest.text)
      assert(closed(run.answer) === closed(batch).sorted)
      // The end of a window that the query does not name is made for each set.
      val late = if (name == "by the start alone") 2L else 1L
      assert(run.lateRows === Map("aggregate" -> late))
      // Only the groups of the last rows are left: the state is not kept for ever.
      val last = closed(batch).size
      assert(run.stateRows < last, s"of $last")
    }
}
