package tidegate
package checks

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, Column, DataFrame}

/** Aggregations in append mode whose groups no watermark would ever complete. */
class UntimedAggregatesSuite extends KeyedStreamTest {

  private def keyed: DataFrame = events().toDF().withKeyedWatermark("time", "1 second")

  private def start(df: DataFrame, mode: OutputMode = OutputMode.Append()): Unit =
    df.writeStream.format("noop").outputMode(mode).start().stop()

  private def refused(condition: String, sentence: String)(df: => DataFrame): Unit = {
    val error = intercept[AnalysisException](start(df))
    assert(error.getCondition === s"TIDEGATE_$condition")
    assert(error.getMessage === s"[TIDEGATE_$condition] $sentence SQLSTATE: 42K0E")
  }

  private def computed(found: String, source: String = "time", time: String = "`time`"): String =
    s"The aggregation is grouped by $found, which is computed from `$source` and so has no " +
      "watermark any more: in output mode append no group would ever be complete. Group by " +
      s"window($time, '10 minutes') on the column itself, or compute the time in a column first " +
      "and call withKeyedWatermark on that column."

  private val later: Column = col("time") + expr("interval 1 second")

  Seq[(String, String, DataFrame => DataFrame)](
    (
      "windows of an expression",
      "time + INTERVAL '01' SECOND",
      _.groupBy(window(later, "10 seconds")).count()
    ),
    (
      "sliding windows of an expression",
      "time + INTERVAL '01' SECOND",
      _.groupBy(window(later, "10 seconds", "5 seconds")).count()
    ),
    (
      "windows of a cast",
      "CAST(time AS TIMESTAMP_NTZ)",
      _.groupBy(window(col("time").cast("timestamp_ntz"), "10 seconds")).count()
    ),
    (
      "windows of a computed column",
      "later",
      _.withColumn("later", later).groupBy(window(col("later"), "10 seconds")).count()
    ),
    (
      "windows of a column of the same name",
      "time, which is CAST(time AS TIMESTAMP_NTZ)",
      _.withColumn("time", col("time").cast("timestamp_ntz"))
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    ),
    (
      "windows of a column that was computed from a computed one",
      "last",
      _.withColumn("later", later)
        .withColumn("last", col("later") + expr("interval 1 day"))
        .drop("time")
        .groupBy(window(col("last"), "10 seconds"))
        .count()
    ),
    (
      "sessions of an expression",
      "time + INTERVAL '01' SECOND",
      _.groupBy(session_window(later, "10 seconds"), col("sub")).count()
    ),
    (
      "a time that was computed in the key",
      "date_trunc(day, time)",
      _.groupBy(date_trunc("day", col("time"))).count()
    ),
    (
      "a time that was computed before",
      "day",
      _.withColumn("day", date_trunc("day", col("time"))).groupBy("day", "sub").count()
    )
  ).foreach { case (what, found, query) =>
    test(what)(refused("AGGREGATE_ON_COMPUTED_TIME", computed(found))(query(keyed)))
  }

  test("a time of both sides of a join") {
    val others = events()
      .toDF()
      .select(col("n").as("m"), col("time").as("later"))
      .withKeyedWatermark("later", "1 second", key = 1)
    val joined = keyed.join(
      others,
      expr("n = m AND later BETWEEN time AND time + INTERVAL 1 MINUTE"),
      "fullOuter"
    )
    refused(
      "AGGREGATE_ON_COMPUTED_TIME",
      computed("coalesce(time, later)") +
        " Give it a key of its own; after a join, its lag has to cover the bounds of the join too."
    )(joined.groupBy(window(coalesce(col("time"), col("later")), "10 seconds")).count())
  }

  private def counted(time: String, name: String, key: Int): DataFrame = events()
    .toDF()
    .withColumnRenamed("time", time)
    .withKeyedWatermark(time, "1 second", key = key)
    .groupBy(window(col(time), "10 seconds").as(name), col("sub").as(s"sub_$name"))
    .count()

  test("a time of the windows of both sides of a join") {
    val joined = counted("time", "v", 0).join(
      counted("later", "w", 1),
      expr("sub_v = sub_w AND v = w"),
      "fullOuter"
    )
    refused(
      "AGGREGATE_ON_COMPUTED_TIME",
      computed("coalesce(v.end, w.end)", "v", "window_time(`v`)") +
        " Give it a key of its own; after a join, its lag has to cover the bounds of the join too."
    )(joined.groupBy(window(coalesce(col("v.end"), col("w.end")), "1 minute")).agg(lit(1)))
  }

  private def untimed(keys: String, keep: String = "", time: String = "`time`"): String =
    s"The aggregation is grouped by $keys, and so by no time with a watermark: in output mode " +
      s"append no group would ever be complete. ${keep}Add window($time, '10 minutes') to its " +
      "keys, or use output mode update or complete."

  test("keys without the window that a column is") {
    refused("AGGREGATE_WITHOUT_TIME", untimed("`sub_w`", time = "window_time(`w`)"))(
      counted("time", "w", 0).groupBy("sub_w").count()
    )
  }

  test("keys without a time") {
    refused("AGGREGATE_WITHOUT_TIME", untimed("`sub`, `n`"))(keyed.groupBy("sub", "n").count())
    refused("AGGREGATE_WITHOUT_TIME", untimed("`upper(sub)`"))(
      keyed.groupBy(upper(col("sub"))).count()
    )
  }

  test("keys of grouping sets") {
    refused("AGGREGATE_WITHOUT_TIME", untimed("`sub`, `n`"))(keyed.rollup("sub", "n").count())
  }

  test("no keys at all") {
    refused("AGGREGATE_WITHOUT_TIME", untimed("nothing"))(keyed.groupBy().count())
  }

  test("a time that a select has left out") {
    refused(
      "AGGREGATE_WITHOUT_TIME",
      untimed("`sub`", "Keep the column `time` up to the aggregation. ")
    )(keyed.select("sub").groupBy("sub").count())
  }

  test("SQL, with the place of the key") {
    keyed.createOrReplaceTempView("keyed")
    val error = intercept[AnalysisException] {
      start(spark.sql("SELECT count(*)\nFROM keyed GROUP BY date_trunc('day', time)"))
    }
    assert(error.getCondition === "TIDEGATE_AGGREGATE_ON_COMPUTED_TIME")
    assert(error.getQueryContext.map(_.fragment).toSeq === Seq("date_trunc('day', time)"))
  }

  test("what goes on: a window, the time itself, other output modes, batches, other watermarks") {
    start(keyed.groupBy(window(col("time"), "10 seconds"), col("sub")).count())
    start(keyed.groupBy("time").count())
    start(keyed.groupBy("sub").count(), OutputMode.Update())
    start(keyed.groupBy("sub").count(), OutputMode.Complete())
    start(keyed.select(col("time").as("t")).groupBy(window(col("t"), "1 second")).count())
    start(
      keyed
        .groupBy(window(col("time"), "1 second"))
        .count()
        .groupBy(window(col("window"), "2 seconds"))
        .count()
    )
    assert(spark.range(3).groupBy("id").count().count() === 3)
  }

  test("a stream without a keyed watermark keeps Spark's error") {
    val error = intercept[AnalysisException](start(events().toDF().groupBy("sub").count()))
    assert(error.getCondition === "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION")
  }

  test("who has switched Spark's checks off is not refused") {
    withConf("spark.sql.streaming.unsupportedOperationCheck" -> "false") {
      val query = keyed.groupBy("sub").count().writeStream.format("noop")
      // Other checks of ours may refuse the query, when it starts.
      try query.start().stop()
      catch { case e: AnalysisException => assert(!e.getCondition.contains("WITHOUT_TIME")) }
    }
  }
}
