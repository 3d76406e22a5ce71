package tidegate
package sql.parser

import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedFunction,
  UnresolvedRelation,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.command.CreateViewCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.tidegate.LaterKeywords

/** Where calls are found, what is left alone, and what positions and texts are kept. */
class ParserSuite extends ParserTest {
  private val call = "tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)"
  private val canonical = "tumble(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 SECONDS)"

  /** The text of a call and of each of its arguments. */
  private def positions(sql: String): Seq[Seq[String]] =
    calls(parser.parsePlan(sql)).map { c =>
      fragment(c) +: c.arguments.map(a => fragment(value(a)))
    }

  test("a call is claimed wherever a table may stand") {
    Seq(
      s"SELECT * FROM $call",
      s"SELECT * FROM $call AS w",
      s"SELECT * FROM $call AS w(a, b, c)",
      s"SELECT * FROM $call WATERMARK window_time DELAY OF INTERVAL 1 MINUTE AS w",
      s"SELECT * FROM u, $call, v",
      s"SELECT * FROM u JOIN $call USING (k)",
      s"SELECT * FROM u JOIN v ON u.a = v.a, $call",
      s"SELECT * FROM u LEFT OUTER JOIN $call AS w ON u.a = w.a",
      s"SELECT * FROM u, LATERAL $call",
      "SELECT * FROM u, LATERAL tumble(TABLE(SELECT u.a, ts FROM t), DESCRIPTOR(ts), 1 day)",
      s"SELECT * FROM ($call)",
      s"SELECT * FROM ($call JOIN u USING (k))",
      s"SELECT * FROM (SELECT * FROM $call)",
      s"SELECT (SELECT max(a) FROM $call) FROM u",
      s"SELECT * FROM u WHERE a IN (SELECT a FROM $call)",
      s"SELECT * FROM u WHERE EXISTS (SELECT 1 FROM $call w WHERE w.a = u.a)",
      s"WITH w AS (SELECT * FROM $call) SELECT * FROM w",
      s"SELECT a FROM u UNION ALL SELECT a FROM $call",
      s"FROM $call SELECT a, b",
      s"FROM $call |> WHERE a > 1 |> AGGREGATE count(*) GROUP BY b",
      s"FROM u |> JOIN $call USING (k) |> SELECT a",
      s"SELECT * FROM $call PIVOT (sum(a) FOR b IN (1, 2))",
      s"SELECT a, count(*) FROM $call GROUP BY ALL",
      s"EXPLAIN EXTENDED SELECT * FROM $call",
      s"DESCRIBE QUERY SELECT * FROM $call",
      s"INSERT INTO x SELECT * FROM $call",
      s"INSERT OVERWRITE x FROM $call",
      s"CREATE TABLE x AS SELECT * FROM $call",
      s"CREATE TABLE x USING parquet AS SELECT * FROM $call",
      s"CACHE TABLE x AS SELECT * FROM $call",
      s"CREATE TEMPORARY VIEW v AS SELECT * FROM $call",
      s"CREATE VIEW v AS SELECT * FROM $call",
      s"ALTER VIEW v AS SELECT * FROM $call",
      s"BEGIN DECLARE n INT DEFAULT 1; SELECT * FROM $call; END",
      s"BEGIN FOR r AS SELECT * FROM $call DO SELECT r.a; END FOR; END",
      s"MERGE INTO x USING (SELECT * FROM $call) y ON x.a = y.a WHEN MATCHED THEN DELETE"
    ).filter(isSparks).foreach(sql => assert(calls(parser.parsePlan(sql)).size === 1, sql))
  }

  /** Whether Spark reads the statement with a table in the place of the call. */
  private def isSparks(sql: String) = SparkFeatures.parses(sql.replace(call, "u"))

  test("a call behind STREAM is claimed, and remembers it") {
    // Spark 4.1 has the keyword, and refuses the call there.
    assume(!LaterKeywords.isMissing(LaterKeywords.IDENTIFIED))
    Seq(s"FROM STREAM $call", s"FROM STREAM($call) AS w", s"FROM u JOIN STREAM $call").foreach {
      sql =>
        val found = theCall(parser.parsePlan(s"SELECT * $sql"))
        assert(found.table.isStream, sql)
    }
    assert(!calls(parser.parsePlan(s"SELECT * FROM $call")).head.table.isStream)
  }

  test("a query, an expression and the body of a function may have calls") {
    assert(calls(parser.parseQuery(s"SELECT * FROM $call")).size === 1)
    assert(
      TreeText.of(parser.parseExpression(s"exists(SELECT * FROM $call)")) ===
        TreeText.of(parser.parseExpression(s"exists(SELECT * FROM $canonical)"))
    )
    val function = s"CREATE FUNCTION f(x INT) RETURNS TABLE RETURN SELECT * FROM $call"
    assert(parser.parsePlan(function).toString.contains(call))
  }

  test("names like ours elsewhere are the user's") {
    Seq(
      "SELECT tumble(a, 1), descriptor(b) FROM session",
      "SELECT a, tumble(a, descriptor(b)) FROM t",
      "SELECT * FROM t ORDER BY a, hop(a, descriptor(b))",
      "SELECT * FROM t GROUP BY a, hop(a, descriptor(b))",
      "FROM t |> SELECT a, hop(a, descriptor(b))",
      "SELECT * FROM tumble(1, 2) AS descriptor",
      "SELECT * FROM tumble, hop JOIN session ON hop.a = descriptor(session.b)",
      "SELECT * FROM tumble(a => f(descriptor(b)))",
      "SELECT * FROM a.tumble(TABLE(t), descriptor(ts))",
      "SELECT * FROM f(tumble(descriptor(a)), hop(a, descriptor(b)))",
      "SELECT table, stream, descriptor AS tumble FROM hop",
      "WITH tumble(a, descriptor) AS (SELECT 1, 2), hop(b) AS (SELECT 1) SELECT * FROM tumble, hop"
    ).filter(SparkFeatures.parses).foreach { sql =>
      assert(calls(parser.parsePlan(sql)).isEmpty, sql)
      assert(
        TreeText.withOrigins(parser.parsePlan(sql)) === TreeText.withOrigins(spark.parsePlan(sql)),
        sql
      )
    }
  }

  test("beside a call, functions like ours are the user's") {
    val plan = parser.parsePlan(s"SELECT tumble(1), descriptor(2) FROM $call, hop(1), tumble(2)")
    assert(calls(plan).size === 1)
    val functions = plan.collect { case f: UnresolvedTableValuedFunction => f.name.head }
    assert(functions === Seq("hop", "tumble"))
    val scalars = plan.expressions.flatMap(_.collect { case f: UnresolvedFunction => f.nameParts })
    assert(scalars === Seq(Seq("tumble"), Seq("descriptor")))
  }

  test("each call and each argument knows its own text") {
    assert(
      positions(s"SELECT * FROM TABLE($call) AS w(a, b)") ===
        Seq(Seq(call, "DESCRIPTOR(ts)", "5 seconds"))
    )
    val inner = "hop(t, DESCRIPTOR(x), size => -'5' minutes, slide => 1 minute 30 seconds)"
    val outer = s"impose_order($inner PARTITION BY k, j, descriptor( `y` ),\n offset => 7 days, " +
      "policy => fixed_lag(5 seconds))"
    assert(
      positions(s"SELECT *\nFROM $outer w") === Seq(
        Seq(outer, "descriptor( `y` )", "7 days", "fixed_lag(5 seconds)"),
        Seq(inner, "DESCRIPTOR(x)", "-'5' minutes", "1 minute 30 seconds")
      )
    )
    val first = calls(parser.parsePlan(s"SELECT *\nFROM $outer w")).head
    assert(first.partitionBy.map(fragment) === Seq("k", "j"))
    assert(first.origin.line.contains(2) && first.origin.startPosition.contains(5))
    assert(value(first.arguments(1)).origin.line.contains(3))
    assert(value(first.arguments(2)).children.map(fragment) === Seq("5 seconds"))
  }

  test("a view keeps its text character for character") {
    Seq(
      s"SELECT * FROM $call",
      s"SELECT * FROM TABLE ($call)",
      s"SELECT * FROM TABLE($call) AS w -- the end",
      "SELECT * FROM session(t PARTITION BY k, j, DESCRIPTOR(ts), /* gap */ 5 seconds) AS s",
      s"SELECT *\n FROM u, LATERAL TABLE( $call )"
    ).foreach { query =>
      parser.parsePlan(s"CREATE VIEW a.v AS $query") match {
        case v: CreateView => assert(v.originalText.contains(query.stripSuffix(" -- the end")))
        case other         => fail(other.toString)
      }
      parser.parsePlan(s"CREATE OR REPLACE TEMPORARY VIEW v AS $query") match {
        case v: CreateViewCommand =>
          assert(v.originalText.contains(query.stripSuffix(" -- the end")))
        case other => fail(other.toString)
      }
    }
  }

  test("names of arguments may be reserved words") {
    val conf = new SQLConf
    conf.setConf(SQLConf.ANSI_ENABLED, true)
    conf.setConf(SQLConf.ENFORCE_RESERVED_KEYWORDS, true)
    SQLConf.withExistingConf(conf) {
      val sql = "SELECT * FROM tumble(data => t, timecol => DESCRIPTOR(ts), size => 5 seconds, " +
        "offset => 1 second, select => 1)"
      assertSame(sql, sql.replace("offset", "`offset`").replace("select", "`select`"))
      assert(intercept[ParseException](spark.parsePlan("SELECT f(select => 1)")).line.contains(1))
    }
  }

  test("a name may be made of IDENTIFIER, and a table may be formatted into the text") {
    val found = theCall(
      parser.parsePlan("SELECT * FROM tumble(`_df_1`, DESCRIPTOR(IDENTIFIER('ts')), 5 seconds)")
    )
    assert(found.child === UnresolvedRelation(Seq("_df_1")))
    assert(value(found.arguments.last) === parser.parseExpression("INTERVAL 5 SECONDS"))
  }

  test("Spark's variables in the text are replaced first") {
    val conf = new SQLConf
    conf.setConfString("size", "5 seconds")
    conf.setConfString("function", "DESCRIPTOR")
    SQLConf.withExistingConf(conf) {
      assertSame(
        "SELECT * FROM tumble(t, ${function}(ts), ${size})",
        s"SELECT * FROM ${call.replace("TABLE ", "")}"
      )
    }
  }
}
