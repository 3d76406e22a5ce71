package tidegate
package sql

import org.apache.spark.sql.catalyst.expressions.ExpressionInfo
import org.apache.spark.sql.execution.HiveResult
import org.apache.spark.sql.functions._

/** `DESCRIBE FUNCTION` and `SHOW FUNCTIONS`. */
class DescribedFunctionsSuite extends KeyedStreamTest {
  private val Example = """(?s)\n    Examples:\n      > (.+?);\n       (.+)\n  """.r

  private val infos: Seq[ExpressionInfo] =
    FunctionInfos.tableFunctions ++ WatermarkFunctions.all.map(_._2)

  private def lines(sql: String): Seq[String] = spark.sql(sql).collect().toSeq.map(_.getString(0))

  private def shown(what: String): Seq[String] = lines(s"SHOW $what")

  private def checkExample(info: ExpressionInfo): Unit = info.getExamples match {
    case Example(statement, result) =>
      val plan = spark.sql(statement).queryExecution.executedPlan
      val found = HiveResult.hiveResultString(plan)
      assert(found === result.linesIterator.map(_.trim).toSeq)
    case other => fail(other)
  }

  for (info <- infos)
    test(s"${info.getName}: the example gives what the text says")(checkExample(info))

  test("functions about queries: the examples give what the text says, while the query runs") {
    val in = events()
    in.addData(event("a", 5))
    val hourly = in.toDF().withKeyedWatermark("time", "1 second", name = "orders")
    val query = hourly
      .groupBy(window(col("time"), "1 hour"))
      .count()
      .writeStream
      .format("noop")
      .queryName("hourly")
      .start()
    try {
      query.processAllAvailable()
      MonitoringFunctions.all.foreach(f => checkExample(f._2))
    } finally query.stop()
  }

  test("every table function that users call is described, with all of its arguments") {
    val described = EventTimeFunction.all.diff(EventTimeFunction.hidden)
    assert(described.map(_.name.toLowerCase) === FunctionInfos.tableFunctions.map(_.getName))
    described.foreach { function =>
      val text = lines(s"DESCRIBE FUNCTION EXTENDED ${function.name}").mkString("\n")
      (Parameter.Data +: function.all).foreach(p => assert(text.contains(s"* ${p.name} - ")))
      assert(text.contains("> SELECT ") && text.contains("Since: 0.2.0"))
    }
  }

  test("DESCRIBE FUNCTION shows the signature in any case, and quoted") {
    for (name <- Seq("tumble", "TUMBLE", "`Tumble`", "'tumble'")) {
      assert(
        lines(s"DESCRIBE FUNCTION $name") === Seq(
          "Function: tumble",
          "Usage: tumble(data, timecol, size [, offset]) - Adds window_start, window_end and " +
            "window_time: the window of fixed size that a row is in."
        )
      )
    }
  }

  test("SHOW FUNCTIONS lists all functions, by pattern and scope") {
    assert(infos.map(_.getName).toSet.subsetOf(shown("FUNCTIONS").toSet))
    assert(shown("FUNCTIONS") === shown("FUNCTIONS").sorted.distinct)
    assert(shown("FUNCTIONS LIKE 'tumbl*|is_late'") === Seq("is_late", "tumble"))
    assert(shown("USER FUNCTIONS LIKE 'tumbl*|is_late'") === Seq("is_late", "tumble"))
    assert(shown("SYSTEM FUNCTIONS LIKE 'tumbl*|is_late'") === Nil)
    assert(shown("FUNCTIONS TUMBLE") === Seq("tumble"))
    assert(shown("FUNCTIONS LIKE 'bound_join'") === Nil)
  }

  test("tidegate_watermarks is described and listed as the others are") {
    val described = lines("DESCRIBE FUNCTION EXTENDED tidegate_watermarks")
    assert(described.head === "Function: tidegate_watermarks")
    assert(described.exists(_.startsWith("Usage: tidegate_watermarks(")))
    assert(described.mkString("\n").contains("> SELECT "))
    assert(
      shown("FUNCTIONS LIKE 'tidegate*'") ===
        Seq("tidegate_explain_time", "tidegate_progress", "tidegate_watermarks")
    )
    assert(shown("SYSTEM FUNCTIONS LIKE 'tidegate*'") === Nil)
  }

  test("a function of the user is described in place of ours") {
    spark.sql("CREATE TEMPORARY FUNCTION hop(x INT) RETURNS INT RETURN x + 1")
    try {
      assert(lines("DESCRIBE FUNCTION hop").mkString("\n").contains("INT"))
      assert(shown("FUNCTIONS LIKE 'hop'") === Seq("hop"))
    } finally spark.sql("DROP TEMPORARY FUNCTION hop")
    assert(lines("DESCRIBE FUNCTION hop")(1).startsWith("Usage: hop(data, timecol, size, slide"))
  }

  test("a function that does not exist is Spark's error") {
    assert(intercept[Exception](lines("DESCRIBE FUNCTION tumbel")).getMessage.contains("tumbel"))
  }
}
