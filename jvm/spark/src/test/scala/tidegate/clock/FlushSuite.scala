package tidegate
package clock

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import tidegate.builders.Between
import tidegate.sources.PartitionedLog

/** Runs that end by themselves, and time with them. */
class FlushSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq(
    "a inner join",
    "a leftOuter join",
    "a rightOuter join",
    "a leftSemi join",
    "windows after the year 9999",
    "distinct rows after"
  )

  private def keyed(df: DataFrame, key: Int = 0, flush: Boolean = true): DataFrame =
    df.withKeyedWatermark("time", "2 seconds", key, substream = Seq("sub"), flush = flush)

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  private def sliding(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds", "5 seconds"), col("sub")).agg(count("*"))

  private val batches = Seq(
    Seq(event("a", 5), event("b", 3)),
    Seq(event("a", 35), event("b", 14)),
    Seq(event("b", 13), event("a", 55), event("b", 33))
  )

  /** What the same query gives for a table. */
  private def batch(query: DataFrame => DataFrame): Seq[String] =
    query(table(files(batches.flatten))).collect().toSeq.map(KeyedStreamTest.text).sorted

  private def flushed(query: DataFrame => DataFrame): Run = {
    val folder = files(batches: _*)
    new Run(query(keyed(stream(folder)))).runOnce(Trigger.AvailableNow())
  }

  private val dropped = (df: DataFrame) =>
    df.dropDuplicates("sub", "time").groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  private val sessions =
    (df: DataFrame) => df.groupBy(session_window(col("time"), "5 seconds"), col("sub")).count()

  private val chained = (df: DataFrame) =>
    df.groupBy(window(col("time"), "10 seconds"), col("sub"))
      .agg(count("*").as("c"))
      .groupBy(window(window_time(col("window")), "30 seconds"))
      .agg(sum("c"))

  for {
    (name, query) <- Seq(
      "windows" -> counts _,
      "sliding windows" -> sliding _,
      "sessions" -> sessions,
      "windows over windows" -> chained,
      "deduplication under windows" -> dropped
    )
  } onBothStores(s"$name: the run gives what a table gives, and leaves no state") {
    val run = flushed(query)
    assert(run.answer === batch(query))
    assert(run.stateRows === 0)
  }

  /** The last millisecond of the year 9999, in s. */
  private val yearsLast = 253402300799.999

  private val far = Seq(
    Seq(event("a", 5), event("b", 3)),
    Seq(event("a", yearsLast), event("b", 14)),
    Seq(event("a", yearsLast + 8), event("b", 15), event("a", yearsLast))
  )

  private val byTime = (df: DataFrame) => df.groupBy("time").count()

  private val distinct = (df: DataFrame) => df.select("time", "sub").distinct()

  private val inOrder = (df: DataFrame) =>
    df.orderByEventTime(eventTime = "time").select("time", "sub")

  for {
    (name, query) <- Seq(
      "windows" -> counts _,
      "sliding windows" -> sliding _,
      "sessions" -> sessions,
      "windows over windows" -> chained,
      "deduplication under windows" -> dropped,
      "groups of a plain time" -> byTime,
      "distinct rows" -> distinct
    )
  } onRocksDb(s"$name after the year 9999: the run gives what a table gives, without state") {
    val run = new Run(query(keyed(stream(files(far: _*))))).runOnce(Trigger.AvailableNow())
    val expected = query(table(files(far.flatten))).collect().toSeq.map(KeyedStreamTest.text)
    assert(run.answer === expected.sorted)
    assert(run.lateRows === Map.empty)
    assert(run.stateRows === 0)
  }

  /** The last µs of all: a sentinel of some producers. */
  private def withSentinel(df: DataFrame): DataFrame = df.withColumn(
    "time",
    expr("CASE n WHEN 99 THEN timestamp_micros(9223372036854775807) ELSE time END")
  )

  private val sentinels =
    Seq(
      Seq(event("a", 5), event("b", 3)),
      Seq(event("a", 9, 99), event("b", 14)),
      Seq(event("b", 15))
    )

  onBothStores("event-time order lets the last microsecond go, too") {
    val run = new Run(inOrder(keyed(withSentinel(stream(files(sentinels: _*))))))
      .runOnce(Trigger.AvailableNow())
    assert(run.rows.map(_.getString(1)) === Seq("b", "a", "b", "b", "a"))
    assert(run.stateRows === 0)
  }

  private val received =
    Seq(Seq(event("b", 3)), Seq(event("b", 20)), Seq(event("a", 9, 99)))

  /** A join of two streams, as it is on tables if it is not `flushed`. */
  private def joined(left: Seq[Seq[Event]], right: Seq[Seq[Event]], on: String, how: String)(
      isFlushed: Boolean
  ): DataFrame = {
    def side(batches: Seq[Seq[Event]], time: String, key: Int) = {
      val rows = if (isFlushed) stream(files(batches: _*)) else table(files(batches: _*))
      val named = withSentinel(rows).select(col("time").as(time), col("sub").as(s"${time}_sub"))
      if (!isFlushed) named
      else
        named.withKeyedWatermark(
          time,
          "2 seconds",
          key,
          substream = Seq(s"${time}_sub"),
          flush = true
        )
    }
    side(left, "l", 0).join(side(right, "r", 1), expr(s"l_sub = r_sub AND $on"), how)
  }

  private def checkFlushed(query: Boolean => DataFrame): Unit = {
    val run = new Run(query(true)).runOnce(Trigger.AvailableNow())
    assert(run.answer === query(false).collect().toSeq.map(KeyedStreamTest.text).sorted)
    assert(run.lateRows === Map.empty)
    assert(run.stateRows === 0)
    ()
  }

  for (how <- Seq("inner", "leftOuter", "rightOuter", "fullOuter", "leftSemi"))
    onBothStores(s"a $how join lets the last microsecond go, too") {
      checkFlushed(joined(sentinels :+ Seq(event("b", 16, 99)), received, "l = r", how))
    }

  test("a bound of a join holds back neither its rows at the end of time, nor what follows it") {
    val within = "r BETWEEN l - INTERVAL 1 HOUR AND l + INTERVAL 1 HOUR"
    checkFlushed(isFlushed =>
      joined(far, far.take(2), within, "leftOuter")(isFlushed)
        .groupBy(window(col("l"), "10 seconds"))
        .agg(count("*"))
    )
  }

  test("killed in every batch, the end of time is the same") {
    val folder = files(far: _*)
    def frame = counts(keyed(stream(folder)))
    val undisturbed = new Run(frame).runOnce(Trigger.AvailableNow())
    val killed = new Run(frame)
    undisturbed.log.foreach { batch =>
      killed.failIn = _ == batch.id
      killed.start(Trigger.AvailableNow())
      intercept[org.apache.spark.sql.streaming.StreamingQueryException] {
        killed.query.awaitTermination()
      }
    }
    killed.failIn = _ => false
    killed.runOnce(Trigger.AvailableNow())
    assert(killed.answer === undisturbed.answer)
    assert(killed.log.last.operators === undisturbed.log.last.operators)
    assert(killed.stateRows === 0)
  }

  test("sources that report what is left, and sources that do not, end after all is read") {
    val log = new PartitionedLog
    log.limit = _ => 3L
    (0 to 1).foreach(p => log.send(p, (0 to 40).map(s => at(s.toDouble) -> s): _*))
    val df = log
      .toDF(spark)
      .withKeyedWatermark("time", "0 seconds", substream = Seq("partition"), flush = true)
    val run = new Run(counts(df)).runOnce(Trigger.AvailableNow())
    assert(run.answer.map(_.split('|').last.toInt) === Seq(20, 20, 20, 20, 2))
  }

  test("an outer join puts out all rows without a partner") {
    val (left, right) =
      (files(Seq(event("a", 5, 1), event("a", 6, 2))), files(Seq(event("a", 7, 1))))
    val orders = keyed(stream(left)).select(col("n").as("id"), col("time").as("order_time"))
    val deliveries = keyed(stream(right), key = 1).select(col("n").as("id"), col("time").as("t"))
    val joined = orders.streamJoin(
      deliveries,
      Seq("id"),
      "leftOuter",
      Between("t", "order_time", "0 seconds", "1 hour")
    )
    val run = new Run(joined).runOnce(Trigger.AvailableNow())
    assert(run.answer === Seq("1|5|7", "2|6|null"))
  }

  test("killed in every batch, the run ends as if it was not") {
    val folder = files(batches: _*)
    def frame = counts(keyed(stream(folder)))
    val undisturbed = new Run(frame).runOnce(Trigger.AvailableNow())
    val killed = new Run(frame)
    (0L to undisturbed.log.last.id).foreach { batch =>
      killed.failIn = _ == batch
      killed.start(Trigger.AvailableNow())
      intercept[org.apache.spark.sql.streaming.StreamingQueryException] {
        killed.query.awaitTermination()
      }
    }
    killed.failIn = _ => false
    killed.runOnce(Trigger.AvailableNow())
    assert(killed.answer === undisturbed.answer)
    assert(killed.stateRows === 0)
  }

  test("a trigger that does not end flushes nothing, and the log says so") {
    val in = events()
    val run = new Run(counts(keyed(in.toDF())))
    val lines = LogLines.during("tidegate.clock.EventTimeClock") {
      run.start()
      in.addData(event("a", 5))
      run.settle()
    }
    assert(
      lines === Seq(
        "The watermark `time` has `flush`, but the trigger of the query is not AvailableNow, so " +
          "nothing is flushed: the last windows stay open. Use trigger(availableNow=True) for a run " +
          "that ends, or leave `flush` out."
      )
    )
  }

  test("a flushed checkpoint that is started again: a warning, and rows are late") {
    val folder = files(batches: _*)
    val run = new Run(counts(keyed(stream(folder)))).runOnce(Trigger.AvailableNow())
    val before = run.take()
    addFile(folder, 10, Seq(event("a", 70)))
    val lines = LogLines.during("tidegate.clock.EventTimeClock") {
      run.runOnce(Trigger.AvailableNow())
      ()
    }
    assert(
      lines.head === "The time of the watermark `time` has ended: an earlier run on this " +
        "checkpoint was flushed. All rows of this run are late. Start it with a new checkpoint, " +
        "or leave `flush` out if the stream continues."
    )
    assert(before.nonEmpty && run.take() === Nil)
    assert(run.lateRows === Map("aggregate" -> 1L))
  }

  test("a source that keeps rows to itself: the run ends, and the next one ends time") {
    val log = new PartitionedLog
    (0 to 1).foreach(p => log.send(p, (0 to 40).map(s => at(s.toDouble) -> s): _*))
    val df = log
      .toDF(spark)
      .withKeyedWatermark("time", "0 seconds", substream = Seq("partition"), flush = true)
    val run = new Run(counts(df))
    // As Kafka's with minOffsetsPerTrigger, when fewer rows are left.
    run.failIn = batch => { if (batch == 1) log.limit = _ => 0L; batch > 20 }
    log.limit = _ => 15L
    val lines = LogLines.during("tidegate.clock.EventTimeClock") {
      run.runOnce(Trigger.AvailableNow())
      ()
    }
    assert(
      lines === Seq(
        "A source has rows that it does not give yet, as with Kafka's minOffsetsPerTrigger. If it " +
          "gives none now, the run ends and its time does not: another run on the checkpoint " +
          "continues with them, and is flushed when all is read."
      )
    )
    assert(run.stateRows > 0)
    log.limit = _ => Long.MaxValue
    run.failIn = _ => false
    run.runOnce(Trigger.AvailableNow())
    assert(run.lateRows === Map.empty)
    assert(run.answer.map(_.split('|').last.toInt) === Seq(20, 20, 20, 20, 2))
  }

}
