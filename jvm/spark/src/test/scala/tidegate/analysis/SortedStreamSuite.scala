package tidegate
package analysis

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, window}
import org.apache.spark.sql.streaming.OutputMode

/**
 * Streams that are sorted by a keyed time: the rows of the same text over a table, in its order.
 */
class SortedStreamSuite extends SameTextTest {

  private def firsts(rows: Seq[Row]) = rows.map(_.get(0).toString)

  test(
    "sorted by the time, and by the windows of an aggregation: in event-time order, over kills"
  ) {
    val counted = s"SELECT window_end, count(*) AS c FROM $hop GROUP BY window_start, window_end"
    for (
      text <- Seq(
        "SELECT time, n FROM events ORDER BY time",
        "SELECT at, n FROM (SELECT *, time AS at FROM events) ORDER BY at NULLS FIRST",
        s"$counted ORDER BY window_end"
      )
    ) withClue(text) {
      val run = checkKills(streamed(text))
      assert(run.answer === wanted(text))
      assert(firsts(run.rows) === firsts(run.rows).sorted)
      assert(plan(run).contains("EventTimeOrder"))
    }
  }

  test("a column that is not in the result, and a method of a DataFrame") {
    val hidden = new Run(streamed("SELECT n FROM events ORDER BY time")).start().settle()
    val byTime = table(input).where("n > 0").select("n", "time").collect()
    val timeOf = byTime.map(r => r.getInt(0) -> r.getTimestamp(1)).toMap
    val times = hidden.rows.map(r => timeOf(r.getInt(0)).toString)
    assert(times.size === timeOf.size)
    assert(times === times.sorted)

    val windows = window(col("time"), "20 seconds")
    val sorted = streamed("SELECT * FROM events").groupBy(windows).count().orderBy("window")
    val starts = new Run(sorted).start().settle().rows.map(_.getStruct(0).getTimestamp(0).toString)
    assert(starts.size > 5)
    assert(starts === starts.sorted)

    val byEnd = "SELECT window.end, count(*) FROM events GROUP BY window(time, '20 seconds') " +
      "HAVING count(*) > 1 ORDER BY window.end"
    val ends = new Run(streamed(byEnd)).start().settle()
    assert(ends.answer === wanted(byEnd))
    assert(firsts(ends.rows) === firsts(ends.rows).sorted)
  }

  test("a sort of Spark's in output mode complete stays") {
    val text = s"SELECT window_end, count(*) AS c FROM $tumble GROUP BY window_start, window_end " +
      "ORDER BY window_end"
    val run = new Run(streamed(text), mode = OutputMode.Complete()).start().settle()
    val last = run.rowsByBatch.maxBy(_._1)._2
    assert(last.map(KeyedStreamTest.text).sorted === wanted(text))
    assert(firsts(last) === firsts(last).sorted)
    assert(!plan(run).contains("EventTimeOrder"))
  }

  test("another order, and another output mode, are refused; EXPLAIN shows the operator") {
    for (
      order <- Seq(
        "time DESC",
        "time, n",
        "n",
        "date_trunc('minute', time)",
        "time NULLS LAST",
        "time LIMIT 5"
      )
    )
      assert(
        refused(s"SELECT * FROM events ORDER BY $order").contains("[TIDEGATE_SORTED_STREAM]"),
        order
      )
    assert(
      refused("SELECT * FROM events ORDER BY time", OutputMode.Update())
        .contains("[TIDEGATE_SORTED_STREAM]")
    )
    streamed("SELECT * FROM events")
    val explained = spark.sql("EXPLAIN SELECT * FROM events ORDER BY time").collect().mkString
    assert(explained.contains("EventTimeOrder"))
  }
}
