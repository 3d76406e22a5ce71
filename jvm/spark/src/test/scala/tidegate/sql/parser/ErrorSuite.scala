package tidegate.sql.parser

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException

/**
 * Spark's own errors in and beside calls: the sentence and the place in the statement as written.
 */
class ErrorSuite extends ParserTest {

  private def refused(sql: String): ParseException =
    intercept[ParseException](parser.parsePlan(sql))

  private def assertSyntaxError(sql: String)(what: String, line: Int, column: Int): Unit =
    assert(
      refused(sql).getMessage.linesIterator
        .find(_.nonEmpty)
        .contains(
          s"[PARSE_SYNTAX_ERROR] Syntax error at or near $what. SQLSTATE: 42601 " +
            s"(line $line, pos $column)"
        ),
      sql
    )

  test("Flink's hint for the time to live of states") {
    val error = intercept[AnalysisException](
      parser.parsePlan(
        "SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2d') */ * FROM a JOIN b ON a.k = b.k"
      )
    )
    assert(
      error.getMessage.linesIterator
        .next()
        .startsWith(
          "[TIDEGATE_STATE_TTL] The hint STATE_TTL is Flink's. Set spark.tidegate.join.timeToLive " +
            "instead, such as SET spark.tidegate.join.timeToLive = 1 day: for each inner join without " +
            "bounds of a query, how far the times of two rows may be apart. Where each join has a time " +
            "of its own, write the bound into its condition: r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 " +
            "DAY. All other operators forget by their watermarks."
        )
    )
  }

  test("what is no interval") {
    assertSyntaxError("SELECT *\nFROM tumble(TABLE t, DESCRIPTOR(ts), 5 fortnights)")(
      "'fortnights': extra input 'fortnights'",
      line = 2,
      column = 39
    )
    assertSyntaxError("SELECT *\nFROM tumble(t, DESCRIPTOR(ts),\n 5 seconds 7)")(
      "')'",
      line = 3,
      column = 12
    )
    assertSyntaxError("SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), 1 day 5 fortnights)")(
      "'fortnights'",
      line = 1,
      column = 54
    )
  }

  test("an interval that Spark refuses") {
    val mixed = refused("SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), 5 years 3 seconds)")
    assert(
      mixed.getMessage.contains("Cannot mix year-month and day-time fields: 5 years 3 seconds.")
    )
    assert(mixed.getQueryContext.head.fragment === "5 years 3 seconds")
    val text = refused("SELECT * FROM TABLE(tumble(TABLE t, DESCRIPTOR(ts), 'five' seconds))")
    assert(text.getQueryContext.head.fragment === "'five' seconds")
  }

  test("a statement that does not end") {
    assertSyntaxError("SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), 5 seconds")(
      "end of input: extra input end of input",
      line = 1,
      column = 55
    )
    assertSyntaxError("SELECT * FROM TABLE(tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)")(
      "end of input: missing ')'",
      line = 1,
      column = 62
    )
    assertSyntaxError("SELECT * FROM tumble(DESCRIPTOR(ts), TABLE t PARTITION BY k")(
      "end of input: extra input end of input",
      line = 1,
      column = 59
    )
    assert(
      refused("SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), 5 seconds) /* x").getCondition ===
        "UNCLOSED_BRACKETED_COMMENT"
    )
  }

  test("an error in the table") {
    assertSyntaxError("SELECT * FROM tumble(TABLE t x, DESCRIPTOR(ts), 5 seconds)")("'x'", 1, 29)
    assertSyntaxError("SELECT * FROM tumble(, DESCRIPTOR(ts), 5 seconds)")("','", 1, 21)
    assertSyntaxError("SELECT * FROM tumble(t PARTITION BY, DESCRIPTOR(ts), 5 seconds)")(
      "','",
      1,
      35
    )
  }

  test("an error behind a call") {
    val call = "TABLE(tumble(TABLE t, DESCRIPTOR(ts), 5 seconds))"
    assertSyntaxError(s"SELECT * FROM $call WHERE a >")("end of input", 1, 73)
    assertSyntaxError(s"SELECT * FROM $call WHERE a > )")("')'", 1, 74)
    assertSyntaxError(s"SELECT *\nFROM $call AS w v")("'v': extra input 'v'", 2, 60)
  }
}
