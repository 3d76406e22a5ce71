package tidegate.sql.parser

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** Statements with parameters: Spark parses their text once more, before ours is asked. */
class ParameterSuite extends ParserTest {

  private def named(sql: String, values: (String, Any)*): LogicalPlan =
    parser.parsePlanWithParameters(
      sql,
      NamedParameterContext(values.map { case (k, v) => k -> Literal(v) }.toMap)
    )

  private def assertNamed(sql: String, values: (String, Any)*)(canonical: String): Unit =
    assert(TreeText.of(named(sql, values: _*)) === TreeText.of(parser.parsePlan(canonical)))

  test("Spark's variables in the text are replaced first, and positions are of what came out") {
    val conf = new SQLConf
    conf.setConfString("size", "5 seconds")
    SQLConf.withExistingConf(conf) {
      val found =
        theCall(named("SELECT :x FROM tumble(t, DESCRIPTOR(ts), ${size})", "x" -> 1))
      assert(fragment(found.arguments.last) === "5 seconds")
    }
  }

  test("parameters beside bare spellings") {
    assertNamed(
      "SELECT * FROM TABLE(session(t PARTITION BY k, j, DESCRIPTOR(ts), 5 seconds)) WHERE a = :a",
      "a" -> 7
    )(
      "SELECT * FROM (session(TABLE(t) PARTITION BY (k, j), DESCRIPTOR(ts), INTERVAL 5 SECONDS)) " +
        "WHERE a = 7"
    )
    val positional = parser.parsePlanWithParameters(
      "SELECT ? FROM tumble(TABLE t, DESCRIPTOR(ts), ?, 1 second) WHERE b = ?",
      PositionalParameterContext(Seq(Literal(1), Literal("5 seconds"), Literal("x")))
    )
    assert(
      TreeText.of(positional) === TreeText.of(
        parser.parsePlan(
          "SELECT 1 FROM tumble(TABLE t, DESCRIPTOR(ts), '5 seconds', 1 second) WHERE b = 'x'"
        )
      )
    )
  }

  test("parameters as arguments and names") {
    assertNamed("SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), :size)", "size" -> "5 seconds")(
      "SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), '5 seconds')"
    )
    assertNamed(
      "SELECT * FROM tumble(TABLE IDENTIFIER(:t), DESCRIPTOR(IDENTIFIER(:c)), 1 day)",
      "t" -> "a.t",
      "c" -> "ts"
    )("SELECT * FROM tumble(TABLE IDENTIFIER('a.t'), DESCRIPTOR(IDENTIFIER('ts')), 1 day)")
  }

  test("a parameter as the number of an interval is refused at its place") {
    for (interval <- Seq(":n seconds", "? seconds")) {
      val sql = s"SELECT *\nFROM tumble(TABLE t, DESCRIPTOR(ts), $interval)"
      val context =
        if (interval.startsWith(":")) NamedParameterContext(Map("n" -> Literal(5)))
        else PositionalParameterContext(Seq(Literal(5)))
      val error = intercept[AnalysisException](parser.parsePlanWithParameters(sql, context))
      assert(
        error.getMessage ===
          s"[TIDEGATE_INTERVAL_PARAMETER] The interval '$interval' has a parameter as its number, " +
          "which is not supported. Pass the whole interval as a string: write :size, and give it " +
          "the value '5 seconds'. SQLSTATE: 42601; line 2 pos 37"
      )
      assert(error.getQueryContext.head.fragment() === interval)
    }
  }

  test("parameters of EXECUTE IMMEDIATE") {
    val plan = parser.parsePlanWithParameters(
      "SELECT :a FROM TABLE(tumble(TABLE t, DESCRIPTOR(ts), 5 seconds, :offset))",
      HybridParameterContext(Seq(Literal(1), Literal("2 seconds")), Seq("a", "offset"))
    )
    assert(
      TreeText.of(plan) === TreeText.of(
        parser.parsePlan("SELECT 1 FROM (tumble(t, DESCRIPTOR(ts), 5 seconds, '2 seconds'))")
      )
    )
  }

  test("colons and question marks that are no parameters") {
    val sql = "SELECT '12:00' /* ? */ FROM tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)"
    assertNamed(sql)(sql)
    assertNamed(sql, "unused" -> 1)(sql)
  }

  test("positions are those of the statement as it was written") {
    val emoji = "\ud83d\ude00"
    val inner = "hop(t PARTITION BY k, DESCRIPTOR(x), :size, slide => 1 minute)"
    val outer = s"tumble($inner, DESCRIPTOR(y), offset => 5 seconds)"
    val sql = s"SELECT :a\nFROM TABLE($outer) WHERE a = :a"
    Seq[Any](1, "a much longer value").foreach { a =>
      val found = calls(named(sql, "a" -> a, "size" -> "5 minutes"))
      assert(found.map(fragment) === Seq(outer, inner))
      assert(
        found.flatMap(_.arguments.map(a => fragment(value(a)))) ===
          Seq("DESCRIPTOR(y)", "5 seconds", "DESCRIPTOR(x)", ":", "1 minute")
      )
    }
    val found = theCall(
      named(s"SELECT :a, '$emoji' FROM tumble(t, DESCRIPTOR(ts), 5 seconds)", "a" -> 1)
    )
    // Spark counts code points, but cuts the text by characters.
    assert(found.origin.context.startIndex === 20)
  }

  test("lines and columns are those of the statement as it was written") {
    val plan = named(
      "SELECT :a,\n'12:00' FROM tumble(t PARTITION BY k, DESCRIPTOR(ts), 5 seconds) WHERE b",
      "a" -> 1
    )
    assert(theCall(plan).origin.line.contains(2) && theCall(plan).origin.startPosition.contains(13))
    val arguments = theCall(plan).arguments.map(_.origin)
    assert(arguments.map(_.startPosition.get) === Seq(38, 54))
  }

  test("an error shows the statement as it was written, and its place") {
    val sql = "SELECT :a,\n1 FROM tumble(t PARTITION BY k, DESCRIPTOR(ts), 5 seconds, 7 fortnights)"
    val error = intercept[ParseException](named(sql, "a" -> 1))
    assert(
      error.getMessage ===
        """
           |[PARSE_SYNTAX_ERROR] Syntax error at or near 'fortnights'. SQLSTATE: 42601 (line 2, pos 61)
           |
           |== SQL ==
           |SELECT :a,
           |1 FROM tumble(t PARTITION BY k, DESCRIPTOR(ts), 5 seconds, 7 fortnights)
           |-------------------------------------------------------------^^^
           |""".stripMargin
    )
  }

  test("a parameter without a value is Spark's error at its own place") {
    val error = intercept[AnalysisException](
      named("SELECT * FROM tumble(t PARTITION BY k, DESCRIPTOR(ts), :size)", "a" -> 1)
    )
    assert(error.getCondition === "UNBOUND_SQL_PARAMETER")
    assert(error.getQueryContext.head.fragment === ":size")
  }
}
