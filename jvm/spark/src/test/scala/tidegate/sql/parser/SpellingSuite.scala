package tidegate
package sql.parser

/** Every accepted spelling means the same as the one that Spark's grammar takes. */
class SpellingSuite extends ParserTest {
  private val tumble = "tumble(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 SECONDS)"

  /** In `FROM`, alone and as the table of another call. */
  private def means(canonical: String)(spellings: String*): Unit = {
    assert(calls(parser.parsePlan(s"SELECT * FROM $canonical")).nonEmpty, canonical)
    spellings.foreach { call =>
      assertSame(s"SELECT * FROM $call", s"SELECT * FROM $canonical")
      assertSame(
        s"SELECT * FROM hop(TABLE(SELECT * FROM $call), DESCRIPTOR(w), 2 hours, 1 hour) AS h",
        s"SELECT * FROM hop(TABLE(SELECT * FROM $canonical), DESCRIPTOR(w), INTERVAL 2 HOURS, " +
          "INTERVAL 1 HOUR) AS h"
      )
    }
  }

  test("the table: with and without the word and the brackets") {
    means(tumble)(
      "tumble(TABLE t, DESCRIPTOR(ts), INTERVAL 5 SECONDS)",
      "tumble(table t, descriptor(ts), interval 5 seconds)",
      "TuMbLe(tAbLe(t), dEsCrIpToR(ts), 5 sEcOnDs)",
      "tumble(t, DESCRIPTOR(ts), INTERVAL 5 SECONDS)",
      "`tumble`(TABLE t, `descriptor`(ts), 5 seconds)",
      "tumble((TABLE t), DESCRIPTOR(ts), 5 seconds)",
      "tumble(TABLE (t), DESCRIPTOR(ts), 5 seconds)"
    )
    means("tumble(TABLE(a.b.c), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")(
      "tumble(TABLE a.b.c, DESCRIPTOR(ts), 5 seconds)",
      "tumble(a.b.c, DESCRIPTOR(ts), 5 seconds)"
    )
    means("tumble(TABLE(`table`), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")(
      "tumble(table, DESCRIPTOR(ts), 5 seconds)",
      "tumble(TABLE table, DESCRIPTOR(ts), 5 seconds)"
    )
    means("tumble(TABLE(`stream`), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")(
      "tumble(TABLE(stream), DESCRIPTOR(ts), 5 seconds)",
      "tumble(TABLE stream, DESCRIPTOR(ts), 5 seconds)",
      "tumble(stream, DESCRIPTOR(ts), 5 seconds)"
    )
    means("tumble(TABLE(IDENTIFIER('a.t')), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")(
      "tumble(TABLE IDENTIFIER('a.t'), DESCRIPTOR(ts), 5 seconds)"
    )
  }

  test("a query as the table") {
    means("tumble(TABLE(SELECT a, ts FROM t WHERE x > 1), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")(
      "tumble((SELECT a, ts FROM t WHERE x > 1), DESCRIPTOR(ts), 5 seconds)"
    )
    means(
      "tumble(TABLE(WITH x AS (SELECT * FROM t) SELECT * FROM x), DESCRIPTOR(ts), " +
        "INTERVAL 5 SECONDS)"
    )("tumble((WITH x AS (SELECT * FROM t) SELECT * FROM x), DESCRIPTOR(ts), 5 seconds)")
  }

  test("a stream as the table") {
    assume(SparkFeatures.hasStreamKeyword)
    means("tumble(TABLE(FROM STREAM a.t), DESCRIPTOR(ts), INTERVAL 5 SECONDS)")(
      "tumble(TABLE(STREAM a.t), DESCRIPTOR(ts), 5 seconds)",
      "tumble(TABLE STREAM a.t, DESCRIPTOR(ts), 5 seconds)",
      "tumble(STREAM a.t, DESCRIPTOR(ts), 5 seconds)",
      "tumble(TABLE(STREAM(a.t)), DESCRIPTOR(ts), 5 seconds)"
    )
  }

  test("a call as the table") {
    means(
      s"cumulate(TABLE(FROM $tumble), DESCRIPTOR(window_time), INTERVAL 1 HOUR, INTERVAL 1 DAY)"
    )(
      s"cumulate(TABLE($tumble), DESCRIPTOR(window_time), 1 hour, 1 day)",
      s"cumulate(TABLE $tumble, DESCRIPTOR(window_time), 1 hour, 1 day)",
      s"cumulate(($tumble), DESCRIPTOR(window_time), 1 hour, 1 day)",
      s"cumulate($tumble, DESCRIPTOR(window_time), 1 hour, 1 day)",
      "cumulate(tumble(t, descriptor(ts), 5 seconds), descriptor(window_time), 1 hour, 1 day)"
    )
    means(
      s"hop(data => TABLE(FROM $tumble), timecol => DESCRIPTOR(x), size => INTERVAL 1 DAY, " +
        "slide => INTERVAL 1 HOUR)"
    )(
      "hop(data => tumble(t, descriptor(ts), 5 seconds), timecol => descriptor(x), " +
        "size => 1 day, slide => 1 hour)",
      "hop(data => TABLE tumble(TABLE t, descriptor(ts), 5 seconds), timecol => descriptor(x), " +
        "size => 1 day, slide => 1 hour)"
    )
  }

  test("bare intervals") {
    Seq(
      "5 seconds",
      "-5 seconds",
      "- 5 seconds",
      "+5 seconds",
      "1.5 seconds",
      "1 minute 30 seconds",
      "1 minute -30 seconds",
      "'5' second",
      "'5' seconds",
      "-'5' minutes",
      "'1 12:30' DAY TO MINUTE",
      "'1' '5' second",
      "10 milliseconds",
      "1 day 2 hours 3 minutes 4 seconds 5 milliseconds 6 microseconds",
      "2 weeks"
    ).filter(interval => SparkFeatures.parses(s"SELECT INTERVAL $interval")).foreach { interval =>
      means(s"tumble(TABLE(t), DESCRIPTOR(ts), INTERVAL $interval, INTERVAL $interval)")(
        s"tumble(TABLE(t), DESCRIPTOR(ts), $interval, $interval)",
        s"tumble(TABLE(t), DESCRIPTOR(ts),$interval,$interval)"
      )
      means(s"session(data => TABLE(t), timecol => DESCRIPTOR(ts), gap => INTERVAL $interval)")(
        s"session(data => TABLE(t), timecol => DESCRIPTOR(ts), gap => $interval)"
      )
    }
  }

  test("bare intervals in policies") {
    means(
      "impose_order(TABLE(t), DESCRIPTOR(ts), policy => limiting(INTERVAL 5 SECONDS, lull => " +
        "INTERVAL 1 MINUTE), emission => by_frame(INTERVAL '1' SECOND), key => 3)"
    )(
      "impose_order(TABLE t, DESCRIPTOR(ts), policy => limiting(5 seconds, lull => 1 minute), " +
        "emission => by_frame('1' second), key => 3)"
    )
  }

  test("columns and functions with the names of units") {
    Seq("seconds", "day(ts)", "-minute", "key => hour", "size => f(second, day)").foreach {
      argument =>
        val sql = s"SELECT * FROM tumble(TABLE(t), DESCRIPTOR(ts), $argument)"
        assertSame(sql, sql.replace("second", "`second`").replace("`second`s", "`seconds`"))
    }
  }

  test("argument names that are keywords") {
    means(
      "tumble(`data` => TABLE(t), `timecol` => DESCRIPTOR(ts), `size` => INTERVAL 1 DAY, " +
        "`offset` => INTERVAL 1 HOUR)"
    )(
      "tumble(data => t, timecol => DESCRIPTOR(ts), size => 1 day, offset => 1 hour)"
    )
  }

  test("keys of the table") {
    val gap = "INTERVAL 5 MINUTES"
    means(s"session(TABLE(t) PARTITION BY (k, j), DESCRIPTOR(ts), $gap)")(
      "session(TABLE(t) PARTITION BY k, j, DESCRIPTOR(ts), 5 minutes)",
      "session(TABLE t PARTITION BY k, j, DESCRIPTOR(ts), 5 minutes)",
      "session(TABLE t PARTITION BY (k, j), DESCRIPTOR(ts), 5 minutes)",
      "session(t PARTITION BY k, j, DESCRIPTOR(ts), 5 minutes)",
      "session(TABLE t DISTRIBUTE BY k, j, DESCRIPTOR(ts), 5 minutes)"
    )
    means(s"session(TABLE(t) PARTITION BY k, gap => $gap, timecol => DESCRIPTOR(ts))")(
      "session(t PARTITION BY k, gap => 5 minutes, timecol => DESCRIPTOR(ts))"
    )
    means(s"session(TABLE(SELECT * FROM t) PARTITION BY (k, f(a, b)), DESCRIPTOR(ts), $gap)")(
      "session((SELECT * FROM t) PARTITION BY k, f(a, b), DESCRIPTOR(ts), 5 minutes)",
      "session(TABLE(SELECT * FROM t) PARTITION BY k, f(a, b), DESCRIPTOR(ts), 5 minutes)"
    )
    means(s"session(TABLE(FROM $tumble) PARTITION BY (k), DESCRIPTOR(window_time), $gap)")(
      s"session($tumble PARTITION BY k, DESCRIPTOR(window_time), 5 minutes)",
      s"session(TABLE($tumble) PARTITION BY k, DESCRIPTOR(window_time), 5 minutes)"
    )
    means(s"session(TABLE(t) PARTITION BY (k, j) ORDER BY (a, b), DESCRIPTOR(ts), $gap)")(
      "session(t PARTITION BY k, j ORDER BY a, b, DESCRIPTOR(ts), 5 minutes)"
    )
    means(s"session(TABLE(t) WITH SINGLE PARTITION, DESCRIPTOR(ts), $gap)")(
      "session(t WITH SINGLE PARTITION, DESCRIPTOR(ts), 5 minutes)"
    )
  }

  test("TABLE(...) round a call") {
    Seq("TABLE(%s)", "TABLE (%s)", "table( %s )").foreach { wrapped =>
      val call = wrapped.format("tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)")
      def same(sql: String, canonical: String): Unit =
        assertSame(sql.format(call), canonical.format(s"($tumble)"))

      Seq(
        "SELECT * FROM %s",
        "SELECT * FROM %s AS w",
        "SELECT * FROM %s w(a, b)",
        "SELECT * FROM %s WATERMARK window_time DELAY OF INTERVAL 1 MINUTE AS w",
        "SELECT * FROM u, %s",
        "SELECT * FROM STREAM u IDENTIFIED BY s, %s",
        "SELECT * FROM u JOIN %s ON true, v",
        "SELECT * FROM u LEFT JOIN %s AS w USING (k)",
        "FROM %s |> WHERE a > 1",
        "FROM u |> JOIN %s ON true",
        "WITH x AS (SELECT * FROM %s) SELECT * FROM x",
        "SELECT (SELECT max(a) FROM %s)",
        "INSERT INTO x SELECT * FROM %s"
      ).filter(sql => SparkFeatures.parses(sql.format("u"))).foreach(sql => same(sql, sql))
      same("SELECT * FROM u, LATERAL %s AS w", s"SELECT * FROM u, LATERAL (FROM $tumble) AS w")
    }
  }

  test("comments, line breaks, strings and quoted names that look like calls") {
    assertSame(
      """SELECT 'FROM tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)' AS `hop(`, -- FROM hop(TABLE t
        |  /* DESCRIPTOR(ts), 5 seconds */ 1
        |FROM TABLE /* ( */ (
        |  tumble -- (
        |  ( TABLE /* SELECT */ `a(b`
        |  , DESCRIPTOR ( `5 seconds` ) , /* 7 minutes ) */ 5
        |  -- seconds)
        |  seconds
        |))""".stripMargin,
      "SELECT 'FROM tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)' AS `hop(`, 1 FROM " +
        "(tumble(TABLE(`a(b`), DESCRIPTOR(`5 seconds`), INTERVAL 5 SECONDS))"
    )
  }
}
