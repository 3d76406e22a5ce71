package tidegate
package builders

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.{AnalysisException, DataFrame, Encoders, Row}

/** Every refused call: its condition and its whole sentence. */
class RefusalSuite extends KeyedStreamTest {

  private def refused(condition: String, sentence: String)(body: => Any): Unit = {
    val error = intercept[AnalysisException](body)
    assert(error.getCondition === s"TIDEGATE_$condition")
    assert(error.getMessage === s"[TIDEGATE_$condition] $sentence SQLSTATE: ${error.getSqlState}")
  }

  private def in: DataFrame = events().toDF()

  test("a missing event time column") {
    refused(
      "EVENT_TIME_NOT_FOUND",
      "The event time column `tiem` does not exist. Use one of the columns of the stream: `sub`, " +
        "`time`, `n`."
    )(in.withKeyedWatermark("tiem", "1 second"))
  }

  test("a field of a struct") {
    val nested = in.withColumn("header", struct(col("time").as("ts"), col("sub").as("device")))
    def sentence(argument: String, field: String) =
      s"The argument `$argument` names `header.$field`, which is a field of the column `header`, " +
        "but must be a column of its own. Make it one before the call, such as " +
        s"withColumn('$field', col('header.$field')) or SELECT *, header.$field in SQL, and name " +
        s"`$field`."
    refused("COLUMN_IS_FIELD", sentence("eventTime", "ts"))(
      nested.withKeyedWatermark("header.ts", "1 second")
    )
    refused("COLUMN_IS_FIELD", sentence("substream", "device"))(
      nested.withKeyedWatermark("time", "1 second", substream = Seq("header.device"))
    )
    refused("COLUMN_IS_FIELD", sentence("ingestionTime", "ts"))(
      nested.withIngestionWatermark("time", "1 minute", ingestionTime = "header.ts")
    )
    val keyed = nested.withKeyedWatermark("time", "1 second")
    refused("COLUMN_IS_FIELD", sentence("eventTime", "ts"))(
      keyed.orderByEventTime(eventTime = "header.ts")
    )
    refused("COLUMN_IS_FIELD", sentence("partitionBy", "device"))(
      keyed.orderByEventTime(Seq("header.device"))
    )
  }

  test("a name with a dot is found as it is and quoted, and a field only by its own name") {
    val dotted = in.withColumnRenamed("time", "event.time").withColumnRenamed("sub", "s.u.b")
    for (quote <- Seq("", "`")) {
      val keyed = dotted.withKeyedWatermark(
        s"${quote}event.time$quote",
        "1 second",
        substream = Seq(s"${quote}s.u.b$quote")
      )
      keyed.orderByEventTime(Seq(s"${quote}s.u.b$quote"), s"${quote}event.time$quote")
    }
    refused(
      "EVENT_TIME_NOT_FOUND",
      "The event time column `event.tiem` does not exist. Use one of the columns of the stream: " +
        "`s.u.b`, `event.time`, `n`."
    )(dotted.withKeyedWatermark("event.tiem", "1 second"))
  }

  test("an event time column of another type") {
    refused(
      "EVENT_TIME_NOT_TIMESTAMP",
      "The event time column `n` has the type INT, but must be a TIMESTAMP or TIMESTAMP_NTZ. " +
        "Convert it first, for example with to_timestamp or timestamp_millis."
    )(in.withKeyedWatermark("n", "1 second"))
  }

  test("a key outside 0..127") {
    Seq(-1, 128).foreach { key =>
      refused(
        "KEY_OUT_OF_RANGE",
        s"The watermark key is $key, but must be from 0 to 127. Use a small number for each " +
          "notion of time, for example key=0."
      )(in.withKeyedWatermark("time", "1 second", key))
    }
  }

  test("a key used twice on one stream") {
    refused(
      "KEY_USED_TWICE",
      "The watermark key 7 for the column `time2` is already used on this stream by the " +
        "watermark `orders`. Give the second watermark a key of its own."
    )(
      in
        .withColumn("time2", col("time") + expr("interval 1 second"))
        .withKeyedWatermark("time", "1 second", key = 7, name = "orders")
        .withKeyedWatermark("time2", "1 second", key = 7)
    )
  }

  test("a column keyed twice") {
    refused(
      "COLUMN_KEYED_TWICE",
      "The column `time` already carries the watermark key 0. Leave out one of the two calls; for " +
        "a second watermark, copy the column first, such as withColumn('other', col('time')), and " +
        "call withKeyedWatermark on the copy with another key."
    )(in.withKeyedWatermark("time", "1 second").withKeyedWatermark("time", "1 second", key = 1))
  }

  test("a lag that is no duration, or negative") {
    Seq("soon", "1 month", "1500 microseconds").foreach { text =>
      refused(
        "INVALID_DURATION",
        s"The argument `lag` is '$text', which is not a duration. Use an interval without months " +
          "or years, in whole milliseconds, for example '5 seconds'."
      )(in.withKeyedWatermark("time", text))
    }
    refused(
      "DURATION_TOO_SMALL",
      "The argument `lag` is '-1 seconds', but must be at least 0 ms. Use a duration such as " +
        "'5 seconds'."
    )(in.withKeyedWatermark("time", "-1 seconds"))
  }

  test("a zero idle timeout, a negative skew, a frame below 1 ms") {
    refused(
      "DURATION_TOO_SMALL",
      "The argument `idleTimeout` is '0 seconds', but must be at least 1 ms. Use a duration such " +
        "as '5 seconds'."
    )(in.withKeyedWatermark("time", "1 second", idleTimeout = "0 seconds"))
    refused(
      "DURATION_TOO_SMALL",
      "The argument `maxFutureSkew` is '-1 hours', but must be at least 0 ms. Use a duration such " +
        "as '5 seconds'."
    )(in.withKeyedWatermark("time", "1 second", maxFutureSkew = "-1 hours"))
    refused(
      "DURATION_TOO_SMALL",
      "The argument `size` is '0 seconds', but must be at least 1 ms. Use a duration such as " +
        "'5 seconds'."
    )(byFrame("0 seconds"))
    refused(
      "DURATION_TOO_SMALL",
      "The argument `step` is '0 seconds', but must be at least 1 ms. Use a duration such as " +
        "'5 seconds'."
    )(byMinStep("0 seconds"))
  }

  test("both or neither of lag and policy") {
    refused(
      "LAG_OR_POLICY",
      "The keyed watermark has neither of them, but needs exactly one of `lag` and `policy`. Pass " +
        "a lag such as '5 seconds', or a policy such as fixedLag('5 seconds')."
    )(in.withKeyedWatermark("time"))
    refused(
      "LAG_OR_POLICY",
      "The keyed watermark has both of them, but needs exactly one of `lag` and `policy`. Pass a " +
        "lag such as '5 seconds', or a policy such as fixedLag('5 seconds')."
    )(in.withKeyedWatermark("time", "1 second", policy = fixedLag("1 second")))
  }

  test("an unknown policy or emission") {
    refused(
      "UNKNOWN_POLICY",
      "There is no watermark policy with the name and number of arguments of fixedLag(). Use one " +
        "of `fixedLag`, `limitingLagAndDelay`, `limitingLagAndLull`, " +
        "`limitingTimestampAndWallClockLag`."
    )(PolicySpec.of("fixedLag", Nil))
    refused(
      "UNKNOWN_POLICY",
      "There is no watermark policy with the name and number of arguments of fixed_lagg('5 " +
        "seconds'). Did you mean `fixedLag`? Use one of `fixedLag`, `limitingLagAndDelay`, " +
        "`limitingLagAndLull`, `limitingTimestampAndWallClockLag`."
    )(PolicySpec.of("fixed_lagg", Seq("5 seconds")))
    refused(
      "UNKNOWN_POLICY",
      "There is no emission with the name and number of arguments of byDay('1 day'). Use one of " +
        "`byFrame`, `byMinStep`."
    )(EmissionSpec.of("byDay", Seq("1 day")))
  }

  test("an unknown substream column, or one without a text form") {
    refused(
      "SUBSTREAM_NOT_FOUND",
      "The substream column `partition` does not exist. Use one or more of the columns of the " +
        "stream: `sub`, `time`, `n`."
    )(in.withKeyedWatermark("time", "1 second", substream = Seq("sub", "partition")))
  }

  test("a substream column that has no equality") {
    refused(
      "SUBSTREAM_TYPE",
      "The substream column `tags` has the type MAP<STRING, INT>, whose values cannot be compared. " +
        "Use a column of a simple type, such as STRING or INT."
    )(
      in.withColumn("tags", map(col("sub"), col("n")))
        .withKeyedWatermark("time", "1 second", substream = Seq("tags"))
    )
  }

  test("late rows to a text that is neither a name nor a path") {
    for (text <- Seq("late-orders", "late orders", "späte", "a.b-c", "*")) {
      refused(
        "LATE_ROWS_NAME",
        s"The argument `lateRows` is '$text', which is neither the name of a table nor written as " +
          s"a path. Pass a name such as 'late_orders', or a folder such as '/data/$text', " +
          s"'./$text' or 's3a://bucket/$text'."
      )(in.withKeyedWatermark("time", "1 second", lateRows = text))
    }
    for (text <- Seq("late_orders", "db.late2", "`late`", "./late-orders", "/late orders", "s3a:x"))
      in.withKeyedWatermark("time", "1 second", lateRows = text)
  }

  test("an empty name") {
    refused(
      "EMPTY_NAME",
      "The argument `name` is empty. Leave it out to use the event time column as the name, or " +
        "pass a text such as 'orders'."
    )(in.withKeyedWatermark("time", "1 second", name = " "))
  }

  test("withWatermark and withKeyedWatermark in one query") {
    refused(
      "MIXED_WATERMARKS",
      "The query has the keyed watermark `time` and Spark's withWatermark on `time2`, whose times " +
        "do not mix. Use withKeyedWatermark for both."
    )(
      in.withKeyedWatermark("time", "1 second")
        .withColumn("time2", col("time") + expr("interval 1 second"))
        .withWatermark("time2", "1 second")
    )
  }

  test("two columns that an operator could run on") {
    val keyed = in
      .withColumn("time2", col("time") + expr("interval 1 second"))
      .withKeyedWatermark("time", "1 second")
      .withKeyedWatermark("time2", "1 second", key = 1)
    refused(
      "AMBIGUOUS_EVENT_TIME",
      "The operator `aggregate` sees more than one column with a watermark key: `time`, `time2`. " +
        "Leave only one of them in its keys or condition, or drop the others with select before it."
    )(keyed.groupBy("time", "time2").count().writeStream.format("noop").start())
  }

  test("a union with a branch that lacks the key") {
    val keyed = in.withKeyedWatermark("time", "1 second")
    refused(
      "KEY_NOT_AVAILABLE",
      "The operator `aggregate` runs on the column `time` with the watermark key 0, but that key " +
        "does not reach it: branch 2 of the union, with the columns sub, time, n, has no " +
        "watermark with this key; call withKeyedWatermark with the same key on it."
    )(keyed.union(in).groupBy("time").count().writeStream.format("noop").start())
  }

  private def orders = in.select(col("n"), col("time").as("order_time"))
  private def deliveries = in
    .select(col("n"), col("time").as("delivery_time"))
    .withKeyedWatermark("delivery_time", "1 second", key = 1)

  private def start(df: DataFrame): Unit = df.writeStream.format("noop").start()

  test("a window after a join that cannot say how old its rows are") {
    val joined = orders.withKeyedWatermark("order_time", "1 second").join(deliveries, "n")
    refused(
      "KEY_NOT_AVAILABLE",
      "The operator `aggregate` runs on the column `window` with the watermark key 0, but that " +
        "key does not reach it: the join before it has no bound for this time, so that its state " +
        "may emit rows of any age; compare it with a time of the other side, such as " +
        "l >= r - interval 10 minutes AND l <= r + interval 10 minutes."
    )(start(joined.groupBy(window(col("order_time"), "10 seconds")).count()))
  }

  test("an outer join whose other side has lost its watermark in a join before") {
    val keyed = orders.withKeyedWatermark("order_time", "1 second")
    val unbounded = keyed.join(deliveries, "n").select(col("n").as("m"), col("delivery_time"))
    val third = in
      .select(col("n"), col("time").as("third"))
      .withKeyedWatermark("third", "1 second", key = 2)
    refused(
      "KEY_NOT_AVAILABLE",
      "The operator `join` runs on the column `delivery_time` with the watermark key 1, but that " +
        "key does not reach it: the join before it has no bound for this time, so that its state " +
        "may emit rows of any age; compare it with a time of the other side, such as " +
        "l >= r - interval 10 minutes AND l <= r + interval 10 minutes."
    )(third.join(unbounded, expr("n = m and third = delivery_time"), "leftOuter"))
  }

  test("the same key on both sides of a join for different columns") {
    val left = orders.withKeyedWatermark("order_time", "1 second", key = 5)
    val right = in.select("n", "time").withKeyedWatermark("time", "1 second", key = 5)
    refused(
      "JOIN_KEY_CONFLICT",
      "Both sides of the join use the watermark key 5, the left one for `order_time` and the right " +
        "one for `time`: one key is one notion of time. Give one of them another key, for example " +
        "withKeyedWatermark('time', ..., key=1)."
    )(left.join(right, "n"))
  }

  test("an outer join without bounds, and an inner one where the session says so") {
    val keyed = orders.withKeyedWatermark("order_time", "1 second")
    def sentence(how: String, other: String = "") =
      s"The state of the $how join of two streams grows without limit: nothing bounds " +
        "`delivery_time` of the right side by `order_time` of the left side in both directions; " +
        "add a condition such as delivery_time BETWEEN order_time - INTERVAL 10 MINUTES AND " +
        s"order_time + INTERVAL 10 MINUTES, or join on equal times or windows$other."
    refused("JOIN_UNBOUNDED", sentence("LEFT OUTER")) {
      val right = deliveries
      keyed.join(right, keyed("n") === right("n"), "leftOuter")
    }
    val timeToLive = ", or set spark.tidegate.join.timeToLive to how far they may be apart"
    withConf("spark.tidegate.join.unbounded" -> "error") {
      refused("JOIN_UNBOUNDED", sentence("INNER", timeToLive))(start(keyed.join(deliveries, "n")))
    }
    withConf("spark.tidegate.join.unbounded" -> "ignore") {
      refused(
        "INVALID_SETTING",
        "The setting spark.tidegate.join.unbounded is 'ignore', but must be 'warn' or 'error'."
      )(start(keyed.join(deliveries, "n")))
    }
  }

  test("an outer join of windows and times, or of windows in other words than equalities") {
    val hourly =
      deliveries.groupBy(window(col("delivery_time"), "1 hour").as("w"), col("n")).count()
    val keyed = orders.withKeyedWatermark("order_time", "1 second")
    refused(
      "JOIN_UNBOUNDED",
      "The state of the LEFT OUTER join of two streams grows without limit: nothing bounds `w` of " +
        "the right side by `order_time` of the left side in both directions; put " +
        "withColumn('w_time', window_time('w')) on the right side before the join, and add a " +
        "condition such as w_time BETWEEN order_time - INTERVAL 10 MINUTES AND order_time + " +
        "INTERVAL 10 MINUTES, or join on equal times or windows."
    )(
      keyed.join(
        hourly.withColumnRenamed("n", "m"),
        expr("n = m and w.end > order_time and w.end <= order_time + interval 1 hour"),
        "leftOuter"
      )
    )
    val ordered = keyed.groupBy(window(col("order_time"), "10 minutes").as("v"), col("n")).count()
    refused(
      "JOIN_OF_WINDOWS",
      "The FULL OUTER join compares the windows `v` and `w` in a way that only an inner join can. " +
        "Join on equal starts or ends of windows of fixed lengths; or put withColumn('v_time', " +
        "window_time('v')) on the left side before the join, and put withColumn('w_time', " +
        "window_time('w')) on the right side before the join, and compare v_time with w_time."
    )(
      ordered.join(
        hourly.withColumnRenamed("n", "m"),
        expr("n = m and v.end <= w.end and v.end >= w.start"),
        "fullOuter"
      )
    )
  }

  test("a join whose condition makes a window, or asks for the time of one") {
    val hourly = deliveries
      .groupBy(window(col("delivery_time"), "1 hour").as("w"), col("n").as("m"))
      .count()
    val keyed = orders.withKeyedWatermark("order_time", "1 second")
    def sentence(
        how: String,
        function: String,
        of: String,
        name: String,
        call: String,
        on: String
    ) =
      s"The condition of the $how join of a stream calls $function on `$of`, which works on the " +
        s"rows of one table and not in a condition. Put withColumn('$name', $call) on the $on " +
        s"side before the join, and compare `$name`."
    for ((how, sql) <- Seq("left" -> "LEFT OUTER", "inner" -> "INNER"))
      refused(
        "JOIN_MAKES_WINDOW",
        sentence(
          sql,
          "window",
          "order_time",
          "order_time_window",
          "window('order_time', '10 minutes')",
          "left"
        )
      )(
        keyed.join(
          hourly,
          col("n") === col("m") && col("w") === window(col("order_time"), "1 hour"),
          how
        )
      )
    refused(
      "JOIN_MAKES_WINDOW",
      sentence("LEFT OUTER", "window_time", "w", "w_time", "window_time('w')", "right")
    )(
      keyed.join(
        hourly,
        col("n") === col("m") && window_time(col("w")) >= col("order_time"),
        "left"
      )
    )
    keyed
      .withColumn("order_time_window", window(col("order_time"), "1 hour"))
      .join(hourly, expr("n = m and w = order_time_window"), "left")
  }

  test("an outer join without an equality") {
    val keyed = orders.withKeyedWatermark("order_time", "1 second")
    refused(
      "JOIN_WITHOUT_EQUALITY",
      "The condition of the LEFT OUTER join of two streams has no equality of a column of each " +
        "side, by which Spark divides the rows among its tasks. Add one, such as l.id = r.id."
    )(
      keyed.join(
        deliveries,
        expr("delivery_time between order_time and order_time + interval 1 hour"),
        "left"
      )
    )
  }

  test("sessions whose constant gap is no interval above 0") {
    val keyed = in.withKeyedWatermark("time", "1 second")
    for (gap <- Seq("5 mins", "-5 minutes", "0 seconds")) {
      refused(
        "SESSION_GAP",
        s"The gap of session_window is '$gap', which is no interval above 0, so that no row would " +
          "be in a session. Use an interval such as '5 minutes'."
      )(keyed.groupBy(session_window(col("time"), gap), col("n")).count())
    }
    keyed.groupBy(session_window(col("time"), "1 month"), col("n")).count()
  }

  test("a map among the keys of a deduplication") {
    val keyed = in.withKeyedWatermark("time", "1 second").withColumn("m", map(col("sub"), col("n")))
    def sentence(column: String, found: String) =
      s"dropDuplicatesWithinWatermark compares the column `$column` of type $found, but equal maps " +
        "may have their entries in another order. Name columns without maps, such as " +
        s"withColumn('key', array_sort(map_entries($column))) in place of a map."
    refused("DEDUPLICATED_MAP", sentence("m", "MAP<STRING, INT>")) {
      keyed.dropDuplicatesWithinWatermark("n", "m")
    }
    refused("DEDUPLICATED_MAP", sentence("a", "ARRAY<MAP<STRING, INT>>")) {
      keyed.withColumn("a", array("m")).drop("m").dropDuplicatesWithinWatermark()
    }
    keyed.withColumn("key", expr("array_sort(map_entries(m))")).dropDuplicatesWithinWatermark("key")
  }

  test("texts with a collation among the keys of a state") {
    val keyed = in
      .withKeyedWatermark("time", "1 second")
      .withColumn("c", expr("sub COLLATE UTF8_LCASE"))
    val windows = window(col("time"), "10 seconds", "5 seconds")
    def refusedKey(operator: String, key: String, found: String, in: String = "c")(
        frame: => DataFrame
    ): Unit =
      refused(
        "COLLATED_KEY",
        s"The operator `$operator` has the key $key of type $found, but a state compares bytes, and " +
          "texts that are equal in this collation may have others. Use a text that is compared by " +
          s"its bytes: collate(lower($in), 'UTF8_BINARY') where case does not count, or else " +
          s"collate($in, 'UTF8_BINARY')."
      )(frame)
    val text = "STRING COLLATE UTF8_LCASE"
    refusedKey("aggregate", "c", text)(keyed.groupBy(windows, col("c")).count())
    refusedKey("aggregate", "c", text)(
      keyed.groupBy(session_window(col("time"), "1 minute"), col("c")).count()
    )
    refusedKey("aggregate", "struct(c)", s"STRUCT<c: $text>", "text")(
      keyed.groupBy(windows, struct("c").as("k")).count()
    )
    refusedKey("aggregate", "array(c)", s"ARRAY<$text>", "text")(
      keyed.groupBy(windows, array("c").as("k")).count()
    )
    refusedKey("deduplicate", "c", text)(keyed.dropDuplicates("c", "time"))
    refusedKey("deduplicateWithinWatermark", "c", text)(keyed.dropDuplicatesWithinWatermark("c"))
    refusedKey("deduplicate", "c", text)(keyed.select("time", "c").distinct())
    keyed.createOrReplaceTempView("collated")
    val named = intercept[AnalysisException] {
      spark.sql("WITH t AS (SELECT * FROM collated) SELECT count(*) FROM t GROUP BY time, c")
    }
    assert(named.getCondition === "TIDEGATE_COLLATED_KEY")
    refusedKey("flatMapGroupsWithState", "c", text)(
      keyed
        .select("n", "c")
        .groupBy("c")
        .as[String, Row](Encoders.STRING, Encoders.row(keyed.select("n", "c").schema))
        .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout())(
          (_: String, rows: Iterator[Row], _: GroupState[Int]) => rows.map(_.getInt(0))
        )(Encoders.scalaInt, Encoders.scalaInt)
        .toDF()
    )
    // Values may have one, and so may keys of a batch.
    keyed.groupBy(windows).agg(min("c"), count("c"))
    spark.range(3).groupBy(expr("string(id) COLLATE UTF8_LCASE")).count().collect()
  }

  test("watermarks of a query that has none") {
    val query = in.writeStream.format("noop").queryName("plain").start()
    refused(
      "NOT_A_TIDEGATE_QUERY",
      "The query `plain` has no keyed watermark. Add one with withKeyedWatermark before starting " +
        "it."
    ) {
      query.processAllAvailable()
      watermarks(query)
    }
  }

  test("an error with a position keeps its condition: Spark's reader knows ours") {
    assert(org.apache.spark.sql.tidegate.KnownConditions.contains("TIDEGATE_KEY_OUT_OF_RANGE"))
  }
}
