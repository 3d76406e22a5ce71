package tidegate
package sql

import org.apache.spark.sql.AnalysisException
import tidegate.analysis.SameTextTest

/** `TUMBLE`, `HOP` and `SESSION` among the keys of an aggregation, as Flink has them. */
class GroupWindowsSuite extends SameTextTest {

  private val ten = "INTERVAL '10' SECOND"

  test("windows as keys, with their bounds: as in batch and as window(), over kills") {
    val texts = Seq(
      s"SELECT sub, TUMBLE_START(time, $ten) AS a, TUMBLE_END(time, $ten) AS b, count(*) AS c " +
        s"FROM events GROUP BY sub, TUMBLE(time, $ten)" ->
        ("SELECT sub, window.start, window.end, count(*) FROM events " +
          "GROUP BY sub, window(time, '10 seconds')"),
      s"SELECT hop_start(time, $ten, INTERVAL 40 SECONDS) AS a, sum(n) AS s FROM events " +
        s"GROUP BY Hop(time, $ten, INTERVAL 40 SECONDS)" ->
        ("SELECT window.start, sum(n) FROM events " +
          "GROUP BY window(time, '40 seconds', '10 seconds')"),
      "SELECT sub, SESSION_START(time, '1 second') AS a, SESSION_END(time, '1 second') AS b, " +
        "count(*) AS c FROM events GROUP BY sub, SESSION(time, '1 second')" ->
        ("SELECT sub, session_window.start, session_window.end, count(*) FROM events " +
          "GROUP BY sub, session_window(time, '1 second')")
    )
    for ((text, ofSpark) <- texts) withClue(text) {
      assert(wanted(text) === wanted(ofSpark))
      assert(checkKills(streamed(text)).answer === wanted(text))
    }
  }

  test("windows that slide are made from frames, and HAVING may have the name of a bound") {
    val text = s"SELECT HOP_END(time, $ten, '40 seconds') AS ended, count(*) AS c FROM events " +
      s"GROUP BY HOP(time, $ten, '40 seconds') HAVING ended > TIMESTAMP '1970-01-01 00:01:00'"
    val run = new Run(streamed(text)).start().settle()
    assert(run.answer === wanted(text))
    assert(plan(run).contains("FrameAggregate"))
  }

  test("a function of a user's own comes first, and the table functions stay") {
    streamed("SELECT * FROM events")
    spark.sql("CREATE TEMPORARY FUNCTION tumble(a INT, b INT) RETURNS INT RETURN a + b")
    try {
      assert(spark.sql("SELECT tumble(1, 2)").head().getInt(0) === 3)
      assert(wanted(s"SELECT n, window_start FROM $tumble").nonEmpty)
    } finally spark.sql("DROP TEMPORARY FUNCTION tumble")
    assert(spark.sql("DESCRIBE FUNCTION tumble").collect().mkString.contains("timecol"))
  }

  test("no catalog is asked for functions of other names") {
    val plan =
      spark.sessionState.sqlParser.parsePlan("SELECT lake.system.bucket(16, 1), upper('a')")
    assert(ResolveGroupWindows(name => fail(name.mkString("."))).apply(plan) === plan)
  }

  test("wrong arguments are refused") {
    def error(call: String): String = intercept[AnalysisException] {
      streamed(s"SELECT count(*) FROM events GROUP BY $call")
    }.getMessage.replaceFirst(" SQLSTATE.*", "")
    assert(
      error(s"HOP(time, INTERVAL '1' MINUTE, $ten)") ===
        "[TIDEGATE_GROUP_HOP_SWAPPED] HOP(time, slide, size) takes the slide first, as in Flink: " +
        "found the slide '1 minutes' and the size '10 seconds'. Swap them."
    )
    assert(
      error(s"TUMBLE_END(time, $ten, $ten)") ===
        "[TIDEGATE_GROUP_WINDOW] The function TUMBLE_END of an aggregation takes (time, size), but " +
        "has 3 arguments. For windows with an offset use window(time, size, slide, offset) or the " +
        "table functions."
    )
    assert(
      error("SESSION(time, INTERVAL '1' MONTH)") ===
        "[TIDEGATE_INVALID_DURATION] The argument `gap` is '1 months', which is not a duration. Use " +
        "an interval without months or years, in whole milliseconds, for example '5 seconds'."
    )
    assert(
      error("TUMBLE(time, 5)") ===
        "[TIDEGATE_DURATION_SPELLING] The argument `size` is '5', which is not a duration. Did you " +
        "mean '5 seconds'?"
    )
  }
}
