package tidegate
package sql

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.tidegate.SparkInternals

/** Calls that are almost ours: the error says which function or spelling was meant, and where. */
class MisspeltCallSuite extends KeyedStreamTest {

  private def table(): Unit =
    spark
      .sql("SELECT 1 AS id, timestamp_seconds(100) AS time, timestamp_seconds(1) AS `the time`")
      .createOrReplaceTempView("t")

  private def keyed(): Unit =
    events()
      .toDF()
      .withKeyedWatermark("time", "5 seconds", name = "orders")
      .createOrReplaceTempView(
        "keyed"
      )

  private def error(query: String): AnalysisException = {
    table()
    intercept[AnalysisException](spark.sql(query))
  }

  private def isOurs(e: AnalysisException): Boolean =
    Option(e.getCondition).exists(_.startsWith("TIDEGATE"))

  /** The statement has guillemets around what the error has to point at. */
  private def refused(marked: String)(condition: String, sentence: String): Unit = {
    val (before, rest) = marked.span(_ != '«')
    val fragment = rest.drop(1).takeWhile(_ != '»')
    val e = error(marked.replaceAll("[«»]", ""))
    val (line, column) = (before.count(_ == '\n') + 1, before.length - before.lastIndexOf('\n') - 1)
    val told = e.getMessage.linesIterator.find(_.nonEmpty).get.stripSuffix(";")
    val expected = s"[TIDEGATE_$condition] $sentence SQLSTATE: ${e.getSqlState}"
    e match {
      case _: ParseException =>
        assert(told === expected, marked)
        assert(e.getMessage.contains(s"== SQL (line $line, position ${column + 1}) =="), marked)
      case _ => assert(told === s"$expected; line $line pos $column", marked)
    }
    assert(e.getQueryContext.map(_.fragment).toSeq === Seq(fragment), marked)
  }

  private def unknown(found: String, near: String, usage: String): String =
    s"There is no function $found. Did you mean $near? It is called as $usage."

  test("a misspelt DESCRIPTOR") {
    refused("SELECT * FROM TUMBLE(TABLE(t), «DESCRIPTR(time)», INTERVAL 5 SECONDS)")(
      "UNKNOWN_FUNCTION",
      unknown("DESCRIPTR", "DESCRIPTOR", "DESCRIPTOR(order_time)")
    )
  }

  private val tumble = "TUMBLE(TABLE(t), DESCRIPTOR(ts), INTERVAL 10 SECONDS)"
  private val order = "IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 SECONDS)"

  Seq(
    "TUMBEL(TABLE(t), DESCRIPTOR(time), INTERVAL 5 SECONDS)",
    "TUMBEL(TABLE t, DESCRIPTOR(time), 5 seconds)",
    "TUMBEL(t, DESCRIPTOR(time), 5 seconds)",
    "TUMBEL(t PARTITION BY id, id, DESCRIPTOR(time), 5 seconds)",
    "TUMBEL(TABLE(t), time, INTERVAL 5 SECONDS)",
    "TUMBEL(TABLE(t))",
    "TUMBEL(TABLE t)",
    "TUMBEL(data => TABLE(t), timecol => DESCRIPTOR(time), size => INTERVAL 5 SECONDS)",
    "tumbel(TABLE(t), descriptor(time), interval 5 seconds)",
    "TUMBL(TABLE t, DESCRIPTOR(time), 5 seconds)",
    "`tumbels`(TABLE t, DESCRIPTOR(time), 5 seconds)",
    "default.TUMBLE(TABLE(t), DESCRIPTOR(time), INTERVAL 5 SECONDS)",
    "default.tumbel(TABLE t, DESCRIPTOR(time), 5 seconds)",
    "spark_catalog.default.tumbel(TABLE(t), DESCRIPTOR(time), INTERVAL 5 SECONDS)"
  ).foreach { call =>
    val name = call.takeWhile(_ != '(').replace("`", "")
    test(s"the name of $call") {
      if (name.contains(".")) assume(SparkFeatures.hasQualifiedTableFunctions)
      refused(s"SELECT *\nFROM «$call»")(
        "UNKNOWN_FUNCTION",
        unknown(name, "TUMBLE", tumble)
      )
    }
  }

  test("the other names") {
    Seq(
      "HOPP" -> "HOP(TABLE(t), DESCRIPTOR(ts), INTERVAL 10 SECONDS, INTERVAL 5 SECONDS)",
      "CUMULAT" -> "CUMULATE(TABLE(t), DESCRIPTOR(ts), INTERVAL 1 MINUTE, INTERVAL 1 HOUR)",
      "sesion" -> "SESSION(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 MINUTES)",
      "imposeOrder" -> order,
      "order_bytime" -> "ORDER_BY_TIME(TABLE(t), DESCRIPTOR(ts))"
    ).foreach { case (name, usage) =>
      refused(s"SELECT * FROM «$name(TABLE t, DESCRIPTOR(time), 5 seconds)»")(
        "UNKNOWN_FUNCTION",
        unknown(name, usage.takeWhile(_ != '('), usage)
      )
    }
  }

  test("in subqueries, expressions, joins, common table expressions and views") {
    val call = "«TUMBEL(TABLE t, DESCRIPTOR(time), 5 seconds)»"
    Seq(
      s"SELECT * FROM (SELECT *\n FROM $call)",
      s"SELECT (SELECT count(*) FROM $call)",
      s"SELECT 1 WHERE EXISTS (SELECT * FROM $call)",
      s"SELECT * FROM t JOIN $call ON t.id = id",
      s"SELECT * FROM t, $call",
      s"WITH w AS (SELECT * FROM\n $call) SELECT * FROM w",
      s"CREATE OR REPLACE TEMPORARY VIEW v AS\nSELECT * FROM $call",
      s"SELECT * FROM HOP(TABLE(SELECT * FROM $call), DESCRIPTOR(time), 5 seconds, 5 seconds)",
      s"SELECT 'ü' FROM\n$call"
    ).foreach(refused(_)("UNKNOWN_FUNCTION", unknown("TUMBEL", "TUMBLE", tumble)))
  }

  test("scalar functions") {
    keyed()
    refused("SELECT n,\n «is_lat(time)» FROM keyed")(
      "UNKNOWN_FUNCTION",
      unknown("is_lat", "is_late", "is_late(order_time)")
    )
    refused("SELECT n FROM keyed WHERE NOT «isLate(time)»")(
      "UNKNOWN_FUNCTION",
      unknown("isLate", "is_late", "is_late(order_time)")
    )
    refused("SELECT «curent_watermark('orders')» FROM keyed")(
      "UNKNOWN_FUNCTION",
      unknown("curent_watermark", "current_watermark", "current_watermark('orders')")
    )
  }

  test("a lambda among the keys is no column") {
    table()
    val sql = "SELECT * FROM ORDER_BY_TIME(TABLE(t) PARTITION BY id, x -> x + 1)"
    assert(error(sql).getCondition === "TIDEGATE_PARTITION_BY_EXPRESSION")
  }

  test("functions of the user with such names go on working") {
    table()
    spark.sql("CREATE TEMPORARY FUNCTION tumbel(x INT) RETURNS TABLE(y INT) RETURN SELECT x + 1")
    spark.sql("CREATE TEMPORARY FUNCTION is_lat(x INT) RETURNS INT RETURN x + 1")
    try {
      assert(spark.sql("SELECT * FROM tumbel(1)").collect().map(_.getInt(0)).toSeq === Seq(2))
      assert(spark.sql("SELECT is_lat(1)").collect().map(_.getInt(0)).toSeq === Seq(2))
      val e = error("SELECT * FROM tumbel(TABLE(t))")
      assert(!isOurs(e))
    } finally {
      spark.sql("DROP TEMPORARY FUNCTION tumbel")
      spark.sql("DROP TEMPORARY FUNCTION is_lat")
    }
  }

  test("our own functions are there, in capitals too") {
    keyed()
    // An extension has registered them, as that of a user may register others.
    assert(SparkInternals.isFunction(spark, Seq("is_late")))
    spark.sql("SELECT IS_LATE(time), Current_Watermark('orders'), is_late(time) FROM keyed")
    spark.table("keyed").withColumn("late", org.apache.spark.sql.functions.expr("is_late(time)"))
  }

  test("functions of the user in a schema go on working") {
    assume(SparkFeatures.hasQualifiedTableFunctions)
    table()
    spark.sql("CREATE FUNCTION default.tumbel(x INT) RETURNS TABLE(y INT) RETURN SELECT x + 1")
    try
      Seq("tumbel", "default.tumbel", "spark_catalog.default.tumbel").foreach { name =>
        assert(spark.sql(s"SELECT * FROM $name(1)").collect().map(_.getInt(0)).toSeq === Seq(2))
        assert(!isOurs(error(s"SELECT * FROM $name(TABLE(t))")), name)
      }
    finally { spark.sql("DROP FUNCTION default.tumbel"); () }
  }

  test("names that are far from ours, and calls that are not like ours, keep Spark's errors") {
    Seq(
      "SELECT * FROM stumbling(TABLE(t), DESCRIPTOR(time), INTERVAL 5 SECONDS)",
      "SELECT * FROM tumbel(1)",
      "SELECT * FROM nope.shop(1)",
      "SELECT shout(id) FROM t",
      "SELECT * FROM t WHERE tumbel(id) = 1",
      "SELECT * FROM t WHERE >"
    ).foreach { sql =>
      assert(!isOurs(error(sql)), sql)
    }
    assert(
      error("SELECT * FROM stumbling(TABLE t)").getMessage.contains(
        "parentheses are missing around the provided TABLE argument `t`"
      )
    )
  }

  private def descriptor(function: String, found: String, column: String, argument: String) =
    s"The argument `$argument` of $function is $found, but must be a DESCRIPTOR, which names the " +
      s"time column. Write DESCRIPTOR($column)."

  Seq(
    "TUMBLE(TABLE(t), «time», INTERVAL '5' MINUTES)" -> ("time", "time"),
    "TUMBLE(TABLE t, «time», 5 minutes)" -> ("time", "time"),
    "TUMBLE(t, «time», 5 minutes)" -> ("time", "time"),
    "TUMBLE(TABLE(t), «tiem», INTERVAL '5' MINUTES)" -> ("tiem", "tiem"),
    "TUMBLE(TABLE(t), «`the time`», INTERVAL 5 MINUTES)" -> ("`the time`", "`the time`"),
    "TUMBLE(TABLE(t), timecol => «time», size => INTERVAL 5 MINUTES)" -> ("time", "time"),
    "TUMBLE(TABLE(t), «'time'», INTERVAL 5 MINUTES)" -> ("'time'", "time"),
    "TUMBLE(TABLE(t), «'x'», INTERVAL 5 MINUTES)" -> ("'x'", "time"),
    "TUMBLE(TABLE(SELECT 1 AS id), «5», INTERVAL 5 MINUTES)" -> ("5", "ts")
  ).foreach { case (call, (found, column)) =>
    test(s"a forgotten DESCRIPTOR in ${call.replaceAll("[«»]", "")}") {
      refused(s"SELECT *\nFROM $call")(
        "DESCRIPTOR_MISSING",
        descriptor("TUMBLE", found, column, "timecol")
      )
    }
  }

  test("a forgotten DESCRIPTOR in other functions and arguments") {
    refused("SELECT * FROM HOP(TABLE t, «time», 10 seconds, 5 seconds)")(
      "DESCRIPTOR_MISSING",
      descriptor("HOP", "time", "time", "timecol")
    )
    refused("SELECT * FROM ORDER_BY_TIME(TABLE t, «time»)")(
      "DESCRIPTOR_MISSING",
      descriptor("ORDER_BY_TIME", "time", "time", "timecol")
    )
    refused("SELECT * FROM IMPOSE_ORDER(t, DESCRIPTOR(time), 5 seconds, substream => «id»)")(
      "INVALID_ARGUMENT",
      "The argument `substream` of IMPOSE_ORDER is id, but must be columns such as DESCRIPTOR(id)."
    )
  }

  Seq(
    "5 sec" -> ("5 sec", "5 seconds"),
    "10 min" -> ("10 min", "10 minutes"),
    "1 h 30 min" -> ("1 h 30 min", "1 hour 30 minutes"),
    "INTERVAL 5 sec" -> ("5 sec", "5 seconds"),
    "INTERVAL '5s'" -> ("5s", "5 seconds"),
    "INTERVAL '5'" -> ("5", "5 seconds"),
    "'5s'" -> ("5s", "5 seconds"),
    "5s" -> ("5s", "5 seconds"),
    "5m" -> ("5m", "5 minutes"),
    "10min" -> ("10min", "10 minutes"),
    "1h30" -> ("1h30", "1 hour 30 minutes"),
    "2d" -> ("2d", "2 days"),
    "5" -> ("5", "5 seconds"),
    "'PT5M'" -> ("PT5M", "5 minutes")
  ).foreach { case (written, (found, near)) =>
    def sentence(argument: String) =
      s"The argument `$argument` is '$found', which is not a duration. Did you mean '$near'?"
    test(s"the duration $written") {
      refused(s"SELECT *\nFROM TUMBLE(TABLE t, DESCRIPTOR(time), «$written»)")(
        "DURATION_SPELLING",
        sentence("size")
      )
      refused(s"SELECT * FROM HOP(t, DESCRIPTOR(time), 1 hour, slide => «$written»)")(
        "DURATION_SPELLING",
        sentence("slide")
      )
    }
  }

  test("a duration in a policy, and in a call without a DESCRIPTOR") {
    refused("SELECT * FROM IMPOSE_ORDER(t, DESCRIPTOR(time), policy => fixed_lag(«5 min»))")(
      "DURATION_SPELLING",
      "The argument `policy` is '5 min', which is not a duration. Did you mean '5 minutes'?"
    )
    refused("SELECT * FROM TUMBLE(t, time, «5 min»)")(
      "DURATION_SPELLING",
      "The argument `size` is '5 min', which is not a duration. Did you mean '5 minutes'?"
    )
  }

  test("durations that Spark reads are not misspelt") {
    table()
    Seq(
      "INTERVAL '5' SECOND",
      "INTERVAL '5 seconds'",
      "5 seconds",
      "'5' seconds",
      "1 hour 5 minutes"
    )
      .foreach(d => spark.sql(s"SELECT * FROM TUMBLE(TABLE t, DESCRIPTOR(time), $d)"))
  }
}
