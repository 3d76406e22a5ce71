package tidegate.testing

import java.sql.Timestamp
import java.time.{Duration, Instant}
import java.util.function.Supplier

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import tidegate._

/** The kit as users of Scala have it. Python's tests are in `tests/test_testing.py`. */
class StreamTestSuite extends KeyedStreamTest {
  private def tested(body: StreamTest => Unit): Unit = {
    val test = new StreamTest(spark)
    try body(test)
    finally test.close()
  }

  private def orders(test: StreamTest): DataFrame =
    test.input("orders", "time TIMESTAMP, shop STRING")

  private def counts(orders: DataFrame, idleTimeout: String = "1 minute"): DataFrame = orders
    .withKeyedWatermark(
      "time",
      "5 seconds",
      substream = Seq("shop"),
      name = "orders",
      idleTimeout = idleTimeout,
      // In a test late rows stay with the test.
      lateRows = "s3://bucket/late"
    )
    .groupBy(window(col("time"), "1 minute"))
    .count()
    .select(date_format(col("window.start"), "HH:mm").as("minute"), col("count"))

  private def order(shop: String, time: String): Row =
    Row(Timestamp.from(Instant.parse(s"2026-01-01T${time}Z")), shop)

  test("a silent substream is left out when the clock has come so far, across restarts") {
    tested { test =>
      val query = test.start(counts(orders(test)))
      test.feed("orders", order("a", "12:00:10"), order("b", "12:00:20"))
      test.feed("orders", order("a", "12:05:10"))
      query.restart()
      query.assertEmitted()
      test.advance("59 seconds")
      query.assertEmitted()
      assert(query.watermark("orders").contains(Instant.parse("2026-01-01T12:00:05Z")))
      query.restart()
      test.advance(Duration.ofMinutes(1))
      query.assertEmitted(Row("12:00", 2L))
      assert(query.emitted === Seq(Row("12:00", 2L)))
      assert(query.watermark("aggregate").contains(Instant.parse("2026-01-01T12:05:05Z")))
      assert(test.time === Instant.parse("2026-01-01T12:01:59Z"))
    }
  }

  test("a batch that is killed before its commit runs again, and its rows come once") {
    tested { test =>
      val started = test.start(counts(orders(test)))
      def batches: Seq[Long] =
        started.streamingQuery.recentProgress.filter(_.numInputRows > 0).map(_.batchId).toSeq
      test.feed("orders", order("a", "12:00:10"))
      test.feed("orders", order("a", "12:01:10"))
      started.assertEmitted(Row("12:00", 1L))
      assert(batches === Seq(0, 1))
      started.kill()
      test.feed("orders", order("a", "12:02:10"))
      assert(!started.streamingQuery.isActive)
      started.restart()
      assert(batches === Seq(1, 2))
      started.assertEmitted(Row("12:01", 1L))
      assert(started.emitted === Seq(Row("12:00", 1L), Row("12:01", 1L)))
    }
  }

  test("a failed assertion shows rows, watermarks, and what holds time") {
    tested { test =>
      val query = test.start(counts(orders(test)))
      test.feed("orders", order("a", "12:00:10"), order("b", "12:00:10"))
      test.feed("orders", order("a", "12:01:30"), order("b", "12:02:00"))
      test.feed("orders", order("a", "12:00:30"))
      val error = intercept[AssertionError](query.assertEmitted(Row("12:00", 3L)))
      val id = query.streamingQuery.id.toString
      assert(
        error.getMessage.replace(id, "ID") ===
          """The query has not emitted the rows that are expected.
            |
            |Missing:
            |  {"minute":"12:00","count":3}
            |
            |Unexpected:
            |  {"minute":"12:00","count":2}
            |
            |Emitted:
            |  batch 1: {"minute":"12:00","count":2}
            |
            |Late:
            |  {"operator":"aggregate","watermark_time":"2026-01-01T12:01:25.000Z","row":{"time":"2026-01-01T12:00:30.000Z","shop":"a"}}
            |
            |Watermarks:
            |  orders: 2026-01-01T12:01:25Z
            |  aggregate: 2026-01-01T12:01:25Z
            |
            |""".stripMargin + explainTime(query.streamingQuery).replace(id, "ID")
      )
      assert(query.late.map(_.getAs[Row]("row")) === Seq(order("a", "12:00:30")))
      query.assertEmitted(Row("12:00", 2L))
    }
  }

  test("output modes, runs that end by themselves, and settings of a query") {
    tested { test =>
      val in = orders(test)
      val settings = Map("spark.sql.shuffle.partitions" -> "2")
      val update = test.start(counts(in), OutputMode.Update(), settings = settings)
      // As Java calls it.
      val grouped: Supplier[DataFrame] = () => in.groupBy("shop").count()
      val complete = test.start(grouped, OutputMode.Complete())
      def flushed = in
        .withKeyedWatermark("time", "5 seconds", flush = true)
        .groupBy(window(col("time"), "1 minute"))
        .count()
        .select("count")
      test.feed("orders", order("a", "12:00:10"))
      test.feed("orders", order("a", "12:00:20"), order("b", "12:00:20"))
      update.assertEmitted(Row("12:00", 1L), Row("12:00", 3L))
      complete.assertEmitted(Row("a", 2L), Row("b", 1L))
      val ended = test.start(flushed, availableNow = true)
      ended.assertEmitted(Row(3L))
      test.feed("orders", order("a", "12:00:40"))
      ended.restart()
      assert(ended.late.size === 1)
      assert(spark.conf.get("spark.sql.shuffle.partitions") === "1")
      val states = update.streamingQuery.lastProgress.stateOperators
      assert(states.map(_.numShufflePartitions).toSeq === Seq(2))
    }
  }

  test("rows of two inputs in one batch, a changed query, and a query that fails") {
    tested { test =>
      val left = test.input("a", "id INT NOT NULL, time TIMESTAMP")
      val right = test.input("b", "id INT, time TIMESTAMP")
      def joined = left
        .withKeyedWatermark("time", "1 second")
        .join(right.withKeyedWatermark("time", "1 second", key = 1).toDF("b", "t"), expr("id = b"))
        .select("id")
      val query = test.start(joined)
      val row = Row(1, order("", "12:00:00").getTimestamp(0))
      test.feed(Map("a" -> Seq(row), "b" -> Seq(row)))
      query.assertEmitted(Row(1))
      assert(query.streamingQuery.recentProgress.map(_.numInputRows).filter(_ > 0) === Array(2))
      query.restart(joined.select(raise_error(lit("a fault")).cast("int").as("id")))
      val failed = intercept[StreamingQueryException](test.feed(Map("a" -> Seq(row))))
      assert(failed.getMessage.contains("a fault"))
      query.restart(joined)
      query.assertEmitted(Row(1))
    }
  }

  test("a view of the name of an input comes back") {
    spark.range(3).createOrReplaceTempView("orders")
    tested(test => assert(orders(test).isStreaming && spark.table("orders").isStreaming))
    assert(spark.table("orders").count() === 3)
    spark.catalog.dropTempView("orders")
  }

  test("a report after a refused start, rows with bytes, and a query with other columns") {
    tested { test =>
      val in = test.input("files", "content BINARY, size DOUBLE")
      def row(byte: Byte, more: Any*): Row = Row.fromSeq(Seq[Any](Array(byte), Double.NaN) ++ more)
      val refused = intercept[AnalysisException](test.start(in.select("name")))
      assert(refused.getMessage.contains("name"))
      assert(test.report === "The clock of the test is at 2026-01-01T12:00:00Z.")
      val query = test.start(in)
      test.feed("files", row(1), row(1), row(2))
      val error = intercept[AssertionError](query.assertEmitted(row(2), row(1)))
      assert(error.getMessage.contains("Missing: nothing\n\nUnexpected:\n  {\"content\":\"AQ==\""))
      query.assertEmitted(row(2), row(1), row(1))
      test.feed("files", row(3))
      query.restart(in.withColumn("name", lit("a")))
      test.feed("files", row(4))
      val other = intercept[AssertionError](query.assertEmitted(row(4, "a"))).getMessage
      assert(other.contains("Unexpected:\n  {\"content\":\"Aw==\",\"size\":\"NaN\"}\n\n"))
      assert(other.contains("  batch 2: {\"content\":\"BA==\",\"size\":\"NaN\",\"name\":\"a\"}\n"))
      assert(query.emitted.map(_.length) === Seq(2, 2, 2, 2, 3))
    }
  }

  test("what is refused") {
    def views = spark.catalog.listTables().collect().map(_.name).toSeq
    val before = views
    tested { test =>
      def refused(body: => Unit): String = intercept[AnalysisException](body).getMessage
      val query = test.start(counts(orders(test)))
      assert(
        refused(test.feed("order", order("a", "12:00:00"))).contains(
          "The test has no input `order`. Its inputs: `orders`. Make it with input('order', schema) " +
            "before you feed it."
        )
      )
      assert(
        refused(test.feed("orders", spark.range(1).toDF())).contains(
          "The input `orders` has no column `id`. Name one of its columns: `time`, `shop`."
        )
      )
      assert(
        refused(query.watermark("order")).contains(
          "The query has no watermark and no operator `order`. It has: `orders`, `aggregate`. A " +
            "watermark has the name that withKeyedWatermark(name=...) gives it, or that of its " +
            "event time column."
        )
      )
      assert(
        refused(new StreamTest(spark, "noon")).contains(
          "now must be a timestamp such as '2026-01-01 12:00:00', found 'noon'."
        )
      )
      assert(refused(test.advance("-1 second")).contains("duration"))
    }
    assert(views === before)
    assert(FedSource.inputs.isEmpty)
  }
}
