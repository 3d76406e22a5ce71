package tidegate
package sql

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException

/** What only later versions of Spark have is refused in a sentence that says so, at its place. */
class LaterSparkSuite extends KeyedStreamTest {

  private def table(name: String = "t"): Unit =
    spark
      .sql("SELECT 1 AS id, timestamp_seconds(100) AS time")
      .createOrReplaceTempView(name)

  /** The statement has guillemets around what the error has to point at. */
  private def refused(marked: String, arguments: Map[String, Any] = Map.empty)(
      feature: String,
      instead: String
  ): Unit = {
    table()
    val (before, rest) = marked.span(_ != '«')
    val fragment = rest.drop(1).takeWhile(_ != '»')
    val sql = marked.replaceAll("[«»]", "")
    val e = intercept[AnalysisException] {
      if (arguments.isEmpty) spark.sql(sql) else spark.sql(sql, arguments)
    }
    val (line, column) = (before.count(_ == '\n') + 1, before.length - before.lastIndexOf('\n') - 1)
    val expected = s"[TIDEGATE_LATER_SPARK] $feature needs Spark 4.1 or later, and this is Spark " +
      s"$SPARK_VERSION. $instead SQLSTATE: 0A000"
    val told = e.getMessage.linesIterator.find(_.nonEmpty).get.stripSuffix(";")
    e match {
      case _: ParseException =>
        assert(told === expected, marked)
        assert(e.getMessage.contains(s"== SQL (line $line, position ${column + 1}) =="), marked)
      case _ => assert(told === s"$expected; line $line pos $column", marked)
    }
    assert(e.getQueryContext.map(_.fragment).toSeq === Seq(fragment), marked)
  }

  private def stream(marked: String): Unit = refused(marked)(
    "`STREAM` before a table in SQL",
    "Make a view of the stream with spark.readStream.table(...).createOrReplaceTempView(...), " +
      "and write the name of the view."
  )

  private val rest = "DESCRIPTOR(time), 5 seconds"

  Seq(
    s"TUMBLE(TABLE(«STREAM t»), $rest)",
    s"TUMBLE(TABLE(«STREAM a.t»), $rest)",
    s"TUMBLE(TABLE «STREAM t», $rest)",
    s"TUMBLE(«stream t», $rest)",
    s"TUMBLE(TABLE(«STREAM(a.t)»), $rest)",
    s"TUMBLE(«STREAM(t)», $rest)",
    s"TUMBLE($rest, data => «STREAM(t)»)",
    s"TUMBLE($rest, input => TABLE(«STREAM t»))",
    s"SESSION(TABLE(«STREAM t») PARTITION BY id, $rest)",
    s"HOP(TABLE(TUMBLE(«STREAM t», $rest)), $rest, 5 seconds)",
    s"«STREAM TUMBLE»(TABLE t, $rest)",
    s"«STREAM(TUMBLE»(TABLE t, $rest))",
    s"t JOIN «STREAM TUMBLE»(TABLE t, $rest)"
  ).foreach { call =>
    test(s"STREAM in or before a call: ${call.replaceAll("[«»]", "")}") {
      stream(s"SELECT *\nFROM $call")
    }
  }

  test("STREAM in a FROM clause: Spark reads a table, or a function, of that name") {
    stream("SELECT * FROM «STREAM» t")
    stream("SELECT *\n FROM t AS o JOIN «stream» u ON o.id = u.id")
    stream("SELECT * FROM «STREAM(t)»")
    stream("SELECT * FROM «STREAM a».t")
    stream("SELECT * FROM t, «STREAM a».b.t WHERE 1 = 1")
    stream(s"SELECT * FROM TUMBLE(TABLE(SELECT * FROM «STREAM» t), $rest)")
    stream(s"SELECT * FROM TUMBLE(TABLE(SELECT * FROM «STREAM a».t), $rest)")
    stream(s"CREATE TEMPORARY VIEW v AS SELECT * FROM «STREAM» t")
  }

  test("a table, a view and a function may have the name") {
    table("stream")
    spark.sql("CREATE TEMPORARY FUNCTION stream(x INT) RETURNS TABLE(y INT) RETURN SELECT x")
    try
      Seq(
        "SELECT s.id FROM stream s",
        "SELECT id FROM stream",
        s"SELECT id FROM TUMBLE(TABLE(stream), $rest)",
        s"SELECT id FROM TUMBLE(stream, $rest)",
        s"SELECT id FROM TUMBLE(TABLE(SELECT * FROM stream s), $rest)",
        s"SELECT id FROM stream, LATERAL TUMBLE(TABLE t, $rest)".replace("id", "stream.id"),
        "SELECT y FROM (SELECT 1 AS a), LATERAL stream(a)",
        "WITH stream AS (SELECT 1 AS id) SELECT s.id FROM stream s"
      ).foreach(sql => assert(spark.sql(sql).collect().map(_.getInt(0)).toSeq === Seq(1), sql))
    finally {
      spark.sql("DROP TEMPORARY FUNCTION stream")
      spark.catalog.dropTempView("stream")
      ()
    }
  }

  test("Spark's errors in statements with such a table stay") {
    table("stream")
    try {
      val e = intercept[ParseException](spark.sql("SELECT * FROM stream s WHERE >"))
      assert(e.getCondition === "PARSE_SYNTAX_ERROR")
    } finally { spark.catalog.dropTempView("stream"); () }
  }

  test("the WATERMARK clause") {
    val instead = "Call IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), 5 seconds), or call withWatermark " +
      "before the stream becomes a view."
    Seq(
      "SELECT * FROM t «WATERMARK time DELAY OF» INTERVAL 5 SECONDS",
      "SELECT *\nFROM t «watermark to_timestamp(id) AS x delay of» INTERVAL 5 SECONDS AS u",
      s"SELECT * FROM TUMBLE(TABLE(SELECT * FROM t «WATERMARK time DELAY OF» INTERVAL '5' SECOND), $rest)"
    ).foreach(refused(_)("The `WATERMARK` clause in SQL", instead))
  }

  test("columns, aliases and functions may have the names of that clause") {
    table()
    Seq("SELECT watermark.id FROM t watermark", "SELECT 1 AS delay", "SELECT 1 AS watermark")
      .foreach(sql => assert(spark.sql(sql).collect().map(_.getInt(0)).toSeq === Seq(1), sql))
  }

  test("a parameter in DESCRIPTOR, by name and by place") {
    val instead = "Write the name of the column into the text of the statement."
    Seq(":c", "IDENTIFIER(«:c»)").map(c => if (c.contains("«")) c else s"«$c»").foreach { c =>
      refused(s"SELECT *\nFROM TUMBLE(TABLE t, DESCRIPTOR($c), 5 seconds)", Map("c" -> "time"))(
        "A parameter in DESCRIPTOR",
        instead
      )
    }
  }

  test("parameters elsewhere in a call, and in its table, have their values") {
    table()
    def ids(table: String, size: String = "5 seconds"): Seq[Int] = spark
      .sql(
        s"SELECT id FROM TUMBLE($table, DESCRIPTOR(time), $size)",
        Map[String, Any]("t" -> "t", "n" -> 0, "size" -> "5 seconds")
      )
      .collect()
      .map(_.getInt(0))
      .toSeq
    assert(ids("TABLE t", ":size") === Seq(1))
    assert(ids("TABLE(SELECT * FROM t WHERE id > :n)") === Seq(1))
    assert(ids("TABLE(SELECT * FROM (SELECT * FROM t WHERE id = :n))") === Nil)
    assert(ids("TABLE(IDENTIFIER(:t))") === Seq(1))
    assert(ids("TABLE IDENTIFIER(:t)") === Seq(1))
    assert(ids("IDENTIFIER(:t)") === Seq(1))
    val positional = spark.sql(
      "SELECT id FROM TUMBLE(TABLE(SELECT * FROM t WHERE id > ?), DESCRIPTOR(time), ?)",
      Array[Any](0, "5 seconds")
    )
    assert(positional.collect().map(_.getInt(0)).toSeq === Seq(1))
  }
}
