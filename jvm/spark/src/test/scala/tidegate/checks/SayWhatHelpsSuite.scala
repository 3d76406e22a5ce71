package tidegate
package checks

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** What Spark refuses of queries with keyed watermarks: a sentence that helps, and no plan. */
class SayWhatHelpsSuite extends KeyedStreamTest {

  private def keyed: DataFrame = events().toDF().withKeyedWatermark("time", "1 second")

  private def others: DataFrame = events()
    .toDF()
    .select(col("n").as("m"), col("time").as("later"))
    .withKeyedWatermark("later", "1 second", key = 1)

  private def windows(df: DataFrame) = df.groupBy(window(col("time"), "10 seconds"))

  private def start(df: DataFrame, mode: OutputMode): Unit =
    df.writeStream.format("noop").outputMode(mode).start().stop()

  private def refused(
      condition: String,
      sentence: String,
      mode: OutputMode = OutputMode.Append()
  )(df: => DataFrame): Unit = {
    val error = intercept[AnalysisException](start(df, mode))
    assert(error.getCondition === s"TIDEGATE_$condition")
    val told = error.getMessage.replaceAll("; line \\d+ pos \\d+$", "")
    assert(told === s"[TIDEGATE_$condition] $sentence SQLSTATE: ${error.getSqlState}")
  }

  private def sorted(found: String, time: String) =
    s"The stream is sorted by $found, but has no end at which it could be sorted. Use " +
      s"orderByEventTime(eventTime='$time'), or ORDER_BY_TIME(TABLE(t), DESCRIPTOR($time)) in SQL: " +
      s"in output mode append rows leave in the order of `$time`, as the watermark passes them. " +
      "Any other order is for the rows of a batch, in foreachBatch."

  test("ORDER BY") {
    refused("SORTED_STREAM", sorted("time, n", "time"))(keyed.orderBy("time", "n"))
    refused("SORTED_STREAM", sorted("n", "time"))(keyed.orderBy(col("n").desc))
    refused("SORTED_STREAM", sorted("count", "window"))(windows(keyed).count().orderBy("count"))
    keyed.createOrReplaceTempView("sorted")
    refused("SORTED_STREAM", sorted("time", "time"))(
      spark.sql("SELECT * FROM sorted ORDER BY time DESC")
    )
    refused("SORTED_STREAM", sorted("end", "window"))(
      windows(keyed).count().select(col("window.end"), col("count")).orderBy(desc("end"))
    )
  }

  private def distinct(found: String, instead: String) =
    s"The aggregate $found has DISTINCT over values that may be equal without having equal bytes, " +
      s"which cannot be kept for streams. Use $instead."

  test("DISTINCT in an aggregate, of values whose equality is not that of their bytes") {
    val text = collate(col("sub"), "UTF8_LCASE")
    refused(
      "DISTINCT_AGGREGATE",
      distinct(
        "count(DISTINCT collate(sub, UTF8_LCASE))",
        "size(collect_set(collate(sub, UTF8_LCASE))), which is exact"
      )
    )(windows(keyed).agg(countDistinct(text)))
    val ofTwo = "size(collect_set(struct(collate(sub, UTF8_LCASE), n)) FILTER (WHERE " +
      "collate(sub, UTF8_LCASE) IS NOT NULL AND n IS NOT NULL))"
    refused(
      "DISTINCT_AGGREGATE",
      distinct("count(DISTINCT collate(sub, UTF8_LCASE), n)", s"$ofTwo, which is exact")
    )(windows(keyed).agg(countDistinct(text, col("n"))))
    refused(
      "DISTINCT_AGGREGATE",
      distinct(
        "max(DISTINCT collate(sub, UTF8_LCASE))",
        "collect_set(collate(sub, UTF8_LCASE)), which has each value once, and compute the result " +
          "from the array"
      )
    )(windows(keyed).agg(expr("max(DISTINCT sub COLLATE UTF8_LCASE)")))
    val ordered = intercept[AnalysisException](
      start(
        windows(keyed).agg(expr("listagg(DISTINCT sub, ',') WITHIN GROUP (ORDER BY sub)")),
        OutputMode.Append()
      )
    )
    assert(ordered.getCondition === "TIDEGATE_DISTINCT_AGGREGATE")
  }

  private def bounded(how: String): DataFrame =
    keyed.join(others, expr("n = m AND later BETWEEN time AND time + INTERVAL 1 MINUTE"), how)

  test("outer and anti joins in output mode update") {
    for ((how, sql) <- Seq("leftAnti" -> "LEFT ANTI", "fullOuter" -> "FULL OUTER"))
      refused(
        "JOIN_OUTPUT_MODE",
        s"The $sql join of two streams emits a row when no partner can come any more, which works " +
          "in output mode append, but the output mode of the query is update. Use " +
          "outputMode('append').",
        OutputMode.Update()
      )(bounded(how))
  }

  private def sessions(lateness: Option[String]) = events()
    .toDF()
    .withKeyedWatermark("time", "1 second", name = "events", allowedLateness = lateness.orNull)
    .groupBy(session_window(col("time"), "1 minute"), col("n"))
    .count()

  test("sessions in output mode update, and with lateness in either mode") {
    val sentence = "The query has sessions, which come out once, when they are complete, but its " +
      "output mode is update. Use outputMode('append')."
    refused("SESSION_OUTPUT_MODE", sentence, OutputMode.Update())(sessions(None))
    refused(
      "SESSION_OUTPUT_MODE",
      s"$sentence Leave out `allowedLateness` of the watermark `events`, which sessions do not " +
        "have: a longer lag keeps late rows.",
      OutputMode.Update()
    )(sessions(Some("1 hour")))
    refused(
      "ALLOWED_LATENESS_UNUSED",
      "The watermark `events` has `allowedLateness`, but the query has sessions, which come out " +
        "once. Lateness is for aggregations by windows in output mode update, which emit a " +
        "corrected row for each late row. Leave out the argument: a longer lag keeps late rows in " +
        "every mode."
    )(sessions(Some("1 hour")))
  }

  test("EXISTS, IN and a value: streams in subqueries") {
    keyed.createOrReplaceTempView("l")
    others.createOrReplaceTempView("r")
    def sentence(word: String, how: String, join: String) =
      s"The query has a stream in $word of which no join could be made: that takes an EXISTS, IN or " +
        "NOT EXISTS alone or in an AND, and a WHERE in it that bounds the times of both streams. " +
        s"Or join them: left.streamJoin(right, on=..., how='$how', between=...), or left $join right " +
        "ON ... in SQL, with bounds on their times."
    for {
      (word, condition) <- Seq("EXISTS" -> "EXISTS (SELECT 1 FROM r WHERE m = n)") :+
        "IN" -> "n IN (SELECT m FROM r)"
      (not, how) <- Seq("" -> "leftSemi", "NOT " -> "leftAnti")
    } refused(
      "STREAM_IN_SUBQUERY",
      sentence(s"$not$word", how, if (not.isEmpty) "LEFT SEMI JOIN" else "LEFT ANTI JOIN")
    )(spark.sql(s"SELECT * FROM l WHERE sub = 'a' AND $not$condition"))
    refused(
      "STREAM_AS_VALUE",
      "The query has a stream in a subquery that stands for a value, but a stream has no last " +
        "value. Join the two streams with bounds on their times, or read the table of the " +
        "subquery with spark.read."
    )(spark.sql("SELECT *, (SELECT max(m) FROM r) FROM l"))
    refused("STREAM_IN_SUBQUERY", sentence("IN", "leftSemi", "LEFT SEMI JOIN"))(
      spark.sql("SELECT * FROM range(3) WHERE id IN (SELECT m FROM r)")
    )
    spark.sql("SELECT * FROM l WHERE n IN (SELECT id FROM range(3))")
  }

  test("an operator over results that come again, whatever Spark's setting says") {
    def sentence(operator: String, keys: String, mode: String = "update") =
      s"The operator `$operator` reads the results of an aggregation $keys. In output mode $mode " +
        s"such a result comes again with each change, and `$operator` would take each of them for " +
        "a row of its own: Spark has no rows that take others back. " +
        (if (operator == "aggregate" && mode == "update")
           "Group the aggregation by a time with a watermark, or by a window of it, too: then each " +
             "result comes once, when it is complete, and `aggregate` updates."
         else
           "Use outputMode('append'), in which a result comes once, and group the aggregation by " +
             "a time with a watermark or a window of it.")
    keyed.createOrReplaceTempView("rows")
    val best = keyed.groupBy("sub", "n").agg(max("time").as("last"))
    def refusedResults(operator: String, keys: String)(df: => DataFrame): Unit =
      refused("RESULTS_IN_STATE", sentence(operator, keys), OutputMode.Update())(df)
    for (isChecked <- Seq("true", "false"))
      withConf("spark.sql.streaming.statefulOperator.checkCorrectness.enabled" -> isChecked) {
        refusedResults("aggregate", "by sub, n")(best.groupBy("sub").agg(count("*")))
        refusedResults("join", "by sub, n")(best.join(others, expr("n = m")))
        refusedResults("deduplicate", "by sub, n")(best.dropDuplicates("sub"))
        refusedResults("aggregate", "without keys")(
          keyed.agg(max("n").as("n")).groupBy("n").count()
        )
        refusedResults("aggregate", "by n, sub")(
          spark.sql("SELECT n, count(*) FROM (SELECT DISTINCT n, sub FROM rows) GROUP BY n")
        )
        refusedResults("join", "by time, n")(
          spark.sql("SELECT DISTINCT time, n FROM rows").join(others, expr("n = m"))
        )
        refusedResults("aggregate", "by sub, n")(
          spark.sql(
            "WITH best AS (SELECT sub, n, max(time) AS last FROM rows GROUP BY sub, n) " +
              "SELECT sub, count(*) FROM best GROUP BY sub"
          )
        )
        refused(
          "RESULTS_IN_STATE",
          sentence("aggregate", "by sub, n", "complete"),
          OutputMode.Complete()
        )(best.groupBy("sub").agg(count("*")))
      }
    keyed.groupBy("sub").count().orderBy(col("count").desc).limit(3).createOrReplaceTempView("top")
    start(spark.table("top"), OutputMode.Complete())
  }

  test("a time whose column a step has made anew") {
    val note = new MetadataBuilder().putString("note", "made anew").build()
    // Spark 4.0 takes empty metadata for none, and keeps those of the column.
    val notes = note +: Seq(Metadata.empty).filterNot(_ => SPARK_VERSION.startsWith("4.0"))
    for (remade <- notes.map(keyed.withMetadata("time", _)))
      refused(
        "AGGREGATE_AFTER_LOST_TIME",
        "The aggregation is grouped by `window`, and so by no time with a watermark: in output mode " +
          "append no group would ever be complete. The watermark of the column `time` ends at a new " +
          "definition of the column, which makes the column anew. Call withKeyedWatermark('time', " +
          "...) after that step instead of before, or use output mode update or complete."
      )(windows(remade).count())
    for (remade <- notes.map(keyed.withMetadata("time", _)))
      refused("TIME_LOST", lost("a new definition of the column"))(remade.orderByEventTime())
    refused("TIME_LOST", lost("a function over objects"))(
      mapped.dropDuplicatesWithinWatermark("n")
    )
  }

  private def lost(step: String) =
    s"The watermark of the column `time` ends at $step, which makes the column anew, so the " +
      "operator above it has no watermark. Call withKeyedWatermark('time', ...) after that step " +
      "instead of before."

  private def mapped: DataFrame = keyed
    .as[Event](KeyedStreamTest.eventEncoder)
    .map((e: Event) => e)(KeyedStreamTest.eventEncoder)
    .toDF()

  test("an order by a time whose column a step has made anew, in Scala and in SQL") {
    val sentence = lost("a function over objects")
    refused("TIME_LOST", sentence)(mapped.orderByEventTime())
    refused("TIME_LOST", sentence)(mapped.orderByEventTime(Nil, "time"))
    mapped.createOrReplaceTempView("lost")
    refused("TIME_LOST", sentence)(
      spark.sql("SELECT * FROM ORDER_BY_TIME(TABLE(lost), DESCRIPTOR(time))")
    )
  }

  test("a join of times of which a step has made one anew") {
    val sentence = lost("a function over objects")
    val between = Between("later", "time", "0 seconds", "1 minute")
    val right = others.withColumnRenamed("m", "n")
    for (how <- Seq("inner", "leftOuter"))
      refused("TIME_LOST", sentence)(mapped.streamJoin(right, Seq("n"), how, between))
    val bounds = expr("n = m AND later BETWEEN time AND time + INTERVAL 1 MINUTE")
    val unkeyed = events().toDF().select(col("n").as("m"), col("time").as("later"))
    for (second <- Seq(others, unkeyed))
      refused("TIME_LOST", sentence)(mapped.join(second, bounds, "leftOuter"))
  }

  test("what else Spark refuses has its sentence, and no plan") {
    val error = intercept[AnalysisException](start(keyed.offset(3), OutputMode.Append()))
    assert(error.getMessage === "Offset is not supported on streaming DataFrames/Datasets")
  }

  test("what Spark refuses when a DataFrame is analyzed has its sentence, and no plan") {
    keyed.createOrReplaceTempView("keyed")
    def statement(text: String) = () => spark.sql(text)
    val refusals = Seq[(String, () => DataFrame)](
      "UNRESOLVED_COLUMN.WITH_SUGGESTION" -> (() => keyed.select("tiem")),
      "UNRESOLVED_COLUMN.WITH_SUGGESTION" -> statement("SELECT tiem FROM keyed"),
      "UNRESOLVED_COLUMN.WITH_SUGGESTION" -> statement(
        "SELECT window_start, count(*) FROM SESSION(TABLE(keyed) PARTITION BY subb, " +
          "DESCRIPTOR(time), INTERVAL 5 MINUTES) GROUP BY window_start, window_end, subb"
      ),
      "UNRESOLVED_ROUTINE" -> statement("SELECT no_such_function(time) FROM keyed"),
      "TABLE_OR_VIEW_NOT_FOUND" -> statement("SELECT * FROM keyed JOIN nothing"),
      "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES" -> statement("SELECT time + true FROM keyed"),
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE" -> (() =>
        keyed.select(transform(col("sub"), x => x))
      ),
      "MISSING_AGGREGATION" -> statement("SELECT sub, count(*) FROM keyed GROUP BY n"),
      "MISSING_GROUP_BY" -> statement("SELECT sub, count(*) FROM keyed"),
      "NUM_COLUMNS_MISMATCH" -> (() => keyed.union(keyed.drop("n"))),
      "INVALID_WHERE_CONDITION" -> (() => keyed.where("sum(n) > 1")),
      "GROUP_BY_AGGREGATE" -> statement("SELECT 1 FROM keyed GROUP BY sum(n)"),
      "NESTED_AGGREGATE_FUNCTION" -> statement("SELECT max(sum(n)) FROM keyed"),
      "INCOMPATIBLE_COLUMN_TYPE" -> (() => keyed.select("time").union(keyed.select("n")))
    )
    for ((condition, query) <- refusals) {
      val error = intercept[AnalysisException](query())
      assert(error.getCondition === condition)
      assert(!error.getMessage.contains("KeyedWatermark"), error.getMessage)
    }
  }

  test("a stream in a subquery of another one, and what later rules of the analysis cure") {
    keyed.createOrReplaceTempView("keyed")
    val most = spark.sql(
      "SELECT *, (SELECT max(id) FROM range(3) WHERE id < keyed.n) AS most FROM keyed"
    )
    start(most, OutputMode.Append())
    start(keyed.groupBy(window(col("time"), "1 second"), rand()).count(), OutputMode.Append())
    val named = struct(col("sub").as("shop"), lit(1).as("one"))
    keyed.groupBy(window(col("time"), "1 second"), named).count(): Unit
    spark.sql("SELECT struct(n AS a), count(*) FROM keyed GROUP BY struct(n AS a)"): Unit
    spark.sql("""
      SELECT sub, count(*) FROM keyed GROUP BY sub
      HAVING EXISTS (SELECT id FROM range(3) WHERE id = max(n))"""): Unit
  }
}
