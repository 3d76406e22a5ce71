package tidegate

import java.time.Instant
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.TestQueries
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}

/** `progress(query)`, `progressOf`, the listener, and `tidegate_progress` in SQL. */
class ProgressOfBatchesSuite extends KeyedStreamTest with ClosesInNextBatch {

  private def ms(n: Long): Instant = Instant.ofEpochMilli(n)
  private def second(n: Long): Option[Instant] = Some(Instant.ofEpochSecond(n))

  private def counts(df: DataFrame): DataFrame = df
    .withKeyedWatermark(
      "time",
      "1 second",
      key = 3,
      substream = Seq("sub"),
      name = "orders",
      maxFutureSkew = "100 days"
    )
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  test("each batch: its watermarks and operators, what holds them, and what was late") {
    val in = events()
    val run = new Run(counts(in.toDF()))
    val startMs = run.clock.getTimeMillis()
    run.start().settle()
    assert(progress(run.query) === Nil)
    in.addData(event("a", 31), event("b", 21))
    run.settle()
    run.clock.advance(2000)
    in.addData(event("b", 5), event("a", 40000000))
    run.settle()
    val orders = WatermarkProgress(
      key = 3,
      watermark = second(20),
      lagMs = Some(startMs + 2000 - 20000),
      idle = false,
      heldBackBy = Some("b"),
      heldBackSince = Some(ms(startMs)),
      heldBackMs = 10000,
      activeSubstreams = 2,
      idleSubstreams = 0,
      unreadSubstreams = 0,
      movedAt = ms(startMs),
      futureEvents = 1,
      futureEventsTotal = 1
    )
    val state = run.query.lastProgress.stateOperators.headOption
    val aggregate = OperatorProgress(
      key = 3,
      watermark = second(20),
      idle = false,
      heldBackBy = "orders",
      evictionWatermark = second(20),
      evictionHeldBackBy = Some("orders"),
      lateRows = 1,
      lateRowsTotal = 1,
      partlyLateRows = 0,
      partlyLateRowsTotal = 0,
      partlyLateWindows = 0,
      partlyLateWindowsTotal = 0,
      stateRows = Some(3),
      stateBytes = state.map(_.memoryUsedBytes),
      nextWindowEnd = second(30)
    )
    val now = ms(startMs + 2000)
    assert(
      progress(run.query, last = 1) ===
        Seq(
          BatchProgress(2, now, now, 2, Map("orders" -> orders), Map("aggregate" -> aggregate))
        )
    )
    val all = progress(run.query)
    assert(all.map(_.batchId) === Seq(0, 1, 2))
    assert(all.head.watermarks("orders").watermark === None)
    assert(all.head.watermarks("orders").lagMs === None)
    assert(all.head.operators("aggregate").lateRowsTotal === 0)
    in.addData(event("b", 6), event("b", 7))
    run.settle()
    val last = progress(run.query).last.operators("aggregate")
    assert((last.lateRows, last.lateRowsTotal) === ((2, 3)))
    // Spark's progress has the same, and a trigger without a batch has none.
    val told = run.query.recentProgress.toSeq.flatMap(progressOf)
    assert(told === progress(run.query))
  }

  test("listeners are told the same; of a query without keyed watermarks, nothing") {
    val heard = new ConcurrentLinkedQueue[(QueryRun, BatchProgress)]()
    val listener = new ProgressListener {
      override def onBatch(query: QueryRun, batch: BatchProgress): Unit =
        heard.add(query -> batch): Unit
    }
    spark.streams.addListener(listener)
    try {
      val in = events()
      val run = new Run(counts(in.toDF())).start()
      val plain = new Run(in.toDF()).start()
      in.addData(event("a", 31), event("b", 21))
      run.settle()
      plain.settle()
      assert(plain.query.recentProgress.toSeq.flatMap(progressOf) === Nil)
      TestQueries.drainListeners(spark)
      val expected = progress(run.query).map(QueryRun(None, run.query.id, run.query.runId) -> _)
      assert(expected.size === 2)
      assert(heard.asScala.toSeq === expected)
    } finally spark.streams.removeListener(listener)
  }

  test("a restart begins anew, and a query that has ended has its last batches") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 31), event("b", 21))
    run.settle()
    run.clock.advance(5000)
    run.restart()
    in.addData(event("b", 22))
    run.settle()
    run.stop()
    val Seq(batch, _*) = progress(run.query): @unchecked
    assert(batch.batchId === 2)
    val orders = batch.watermarks("orders")
    assert(orders.heldBackBy.contains("b"))
    assert(orders.heldBackSince.contains(ms(run.clock.getTimeMillis())))
    assert(orders.futureEventsTotal === 0)
    // Whoever has no handle any more asks by the id.
    val asked = spark.sql(s"SELECT DISTINCT batch_id FROM tidegate_progress('${run.query.runId}')")
    assert(asked.collect().map(_.getLong(0)).toSet === progress(run.query).map(_.batchId).toSet)
  }

  test("as many batches as the setting says") {
    withConf("spark.tidegate.progress.batches" -> "2", "spark.tidegate.progress.events" -> "0") {
      val in = events()
      val run = new Run(counts(in.toDF())).start()
      (1 to 4).foreach { n =>
        in.addData(event("a", n * 20.0))
        run.settle()
      }
      val found = progress(run.query)
      assert(found.size === 2)
      assert(found.last.batchId === run.query.lastProgress.batchId)
    }
  }

  test("the end of time has no lag") {
    val in = events()
    val flushed = in.toDF().withKeyedWatermark("time", "1 second", name = "orders", flush = true)
    val run = new Run(flushed.groupBy(window(col("time"), "10 seconds")).count())
    in.addData(event("a", 31))
    run.runOnce(org.apache.spark.sql.streaming.Trigger.AvailableNow())
    val orders = progress(run.query).last.watermarks("orders")
    assert(orders.watermark.contains(ms(core.EndOfTime.Ms)))
    assert(orders.lagMs === None)
    assert(explainTime(run.query).contains("`orders` is at the end of time"))
  }

  test("in SQL: the same figures as rows, for a number of batches, or of all queries that run") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 31), event("b", 21))
    run.settle()
    val id = run.query.id
    val rows = spark.sql(s"SELECT * FROM tidegate_progress('$id', 1)").collect().toSeq
    val batch = progress(run.query).last
    assert(rows.map(_.getAs[String]("name")) === Seq("orders", "aggregate"))
    val Seq(orders, aggregate) = rows: @unchecked
    val expected = batch.watermarks("orders")
    assert(orders.getAs[java.sql.Timestamp]("watermark").toInstant === expected.watermark.get)
    assert(orders.getAs[Long]("lag_ms") === expected.lagMs.get)
    assert(orders.getAs[String]("held_back_by") === "b")
    assert(orders.getAs[Int]("active_substreams") === 2)
    assert(orders.getAs[Long]("held_back_ms") === 10000)
    assert(aggregate.isNullAt(aggregate.fieldIndex("lag_ms")))
    assert(aggregate.getAs[Long]("late_rows_total") === 0)
    def batches(arguments: String) = spark
      .sql(s"SELECT DISTINCT query_id, batch_id FROM tidegate_progress($arguments) ORDER BY 2")
      .collect()
      .toSeq
    assert(batches("") === Seq(Row(id.toString, 0), Row(id.toString, 1)))
    assert(batches(s"query => '$id', last => 1") === Seq(Row(id.toString, 1)))
  }

  test("arguments that mean nothing") {
    def refused(function: String): String =
      intercept[AnalysisException](
        spark.sql(s"SELECT * FROM $function").collect()
      ).getMessage.linesIterator
        .next()
        .takeWhile(_ != ';')
    def wrong(found: String) = "[TIDEGATE_INVALID_ARGUMENT] The argument `last` of " +
      s"tidegate_progress is $found, but must be a constant whole number above 0 such as 10. " +
      "SQLSTATE: 42K09"
    assert(refused("tidegate_progress('a', 0)") === wrong("0"))
    assert(refused("tidegate_progress('a', 'b')") === wrong("'b'"))
    assert(refused("tidegate_progress('a', NULL)") === wrong("NULL"))
    assert(
      refused("tidegate_progress('a', 1, 2)") === "[TIDEGATE_ONE_QUERY] The function " +
        "tidegate_progress has 3 arguments, which is too many. It takes the name or id of a query, " +
        "such as tidegate_progress('orders'). SQLSTATE: 42605"
    )
    assert(
      refused("tidegate_explain_time(name => 'a')") === "[TIDEGATE_UNKNOWN_ARGUMENT] " +
        "tidegate_explain_time does not take an argument `name`. Did you mean `query`? Its " +
        "arguments are `query`. SQLSTATE: 4274K"
    )
  }
}
