package tidegate
package analysis

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.OutputMode

/** Aggregates over distinct values: the rows of the same text over a table. */
class DistinctSuite extends SameTextTest {

  private val Distinct = """
    count(DISTINCT n % 7), count(DISTINCT sub, nullif(n % 3, 1)) FILTER (WHERE n % 2 = 0),
    sum(DISTINCT n % 5), round(avg(DISTINCT sqrt(n % 4)), 9), max(DISTINCT sub), count(*),
    sort_array(collect_list(DISTINCT n % 3))"""

  override protected def atNight: Seq[String] = Seq("TUMBLE: as in", "CUMULATE: as in")

  for ((name, windows) <- Seq("TUMBLE" -> tumble, "HOP" -> hop, "CUMULATE" -> cumulate)) {
    onBothStores(s"$name: as in batch, over kills, and from frames") {
      val text = s"SELECT window_start, window_end, $Distinct FROM $windows GROUP BY 1, 2"
      assert(checkKills(streamed(text)).answer === wanted(text))
      val run = new Run(streamed(text)).start().settle()
      assert(plan(run).contains("FrameAggregate"))
    }
  }

  test("SESSION: as sets of values in batch, over kills") {
    def text(functions: String) = s"""
      SELECT window_start, window_end, sub, $functions FROM $sessions
      GROUP BY window_start, window_end, sub"""
    // Spark's own batch query counts values of such sessions twice, as it merges sessions of values.
    val sets = "size(collect_set(n % 7)), aggregate(collect_set(n % 5), 0, (a, b) -> a + b)"
    val run = checkKills(streamed(text("count(DISTINCT n % 7), sum(DISTINCT n % 5)")))
    assert(run.answer === wanted(text(sets)))
  }

  test("output mode update: the last row of each key is that of the batch") {
    val text = s"SELECT sub, $Distinct FROM events GROUP BY sub HAVING count(DISTINCT n) > 3"
    val run = new Run(streamed(text), mode = OutputMode.Update()).start().settle()
    val last =
      run.rows.foldLeft(Map.empty[Any, Row])((known, row) => known.updated(row.get(0), row))
    assert(last.values.map(KeyedStreamTest.text).toSeq.sorted === wanted(text))
  }

  test("NULL, NaN and zeros with a sign are as in batch") {
    val values =
      "nullif(n % 3, 0), IF(n % 2 = 0, float('NaN'), -0.0F * (n % 4)), struct(n % 2 AS a)"
    val text = s"""
      SELECT window_end, count(DISTINCT IF(n % 2 = 0, float('NaN'), IF(n % 3 = 0, 0.0F, -0.0F))),
        count(DISTINCT nullif(n, n)), count(DISTINCT $values), sum(DISTINCT nullif(n, n)),
        length(listagg(DISTINCT sub, '-')), percentile(DISTINCT n % 4, 0.5)
      FROM $hop GROUP BY window_end"""
    val run = new Run(streamed(text)).start().settle()
    assert(run.answer === wanted(text))
  }
}
