package tidegate
package clock

import java.nio.file.Files
import java.sql.Timestamp
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.sources.{AppendTimes, PartitionedLog}

/**
 * Watermarks that follow the times at which rows were appended. The rows of a partitioned log have
 * the time of appending, and how many seconds older the event is.
 */
class IngestionSuite extends RestartTest {
  private val Start = 1000000

  /** A row that is appended at a second after the start, of an event so many seconds before. */
  private def row(second: Double, age: Int = 0): (Timestamp, Int) = at(Start + second) -> age

  private def watermarked(df: DataFrame, lag: String, idleLag: String = "10 seconds"): DataFrame =
    df.withColumn("event", expr("time - make_interval(0, 0, 0, 0, 0, 0, n)"))
      .withIngestionWatermark(
        "event",
        lag,
        ingestionTime = "time",
        substream = Seq("topic", "partition"),
        maxIdleLag = idleLag,
        emission = byMinStep("1 millisecond"),
        name = "events"
      )

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("event"), "10 seconds")).count()

  /** In ms after the start. */
  private def time(run: Run): Option[Long] = run.watermark("events").map(_ - Start * 1000L)

  test("the last time of appending, less a millisecond and the lag") {
    val log = new PartitionedLog
    val run = new Run(counts(watermarked(log.toDF(spark), "5 seconds"))).start()
    log.send(0, row(7), row(8, age = 5))
    run.settle()
    assert(time(run) === Some(8000L - 1 - 5000))
    log.send(0, row(8, age = 5))
    run.settle()
    assert(run.lateRows === Map.empty, "as old as may be, appended in the same millisecond")
  }

  test("the minimum over all partitions, read or not") {
    val log = new PartitionedLog
    log.limit = partition => if (partition == 2) 0L else Long.MaxValue
    (0 to 2).foreach(p => log.send(p, row(10.0 - p)))
    val run = new Run(counts(watermarked(log.toDF(spark), "0 seconds"))).start().settle()
    assert(time(run) === None)
    log.limit = _ => Long.MaxValue
    run.settle()
    assert(time(run) === Some(7999L))
  }

  test("an empty partition follows the wall clock too") {
    val log = new PartitionedLog
    val run = new Run(counts(watermarked(log.toDF(spark), "0 seconds"))).start()
    log.send(0, row(0))
    log.send(1)
    run.settle()
    assert(time(run) === Some(-10000L))
    // Appended by a broker whose clock is nine seconds behind.
    run.clock.advance(20000)
    log.send(1, row(11))
    run.settle()
    assert(run.lateRows === Map.empty)
  }

  /** One line of a segment, with the time of appending in seconds after the start. */
  private def line(segment: Int, second: Int): String =
    s"""{"segment":$segment,"time":"${at(Start.toDouble + second).toInstant}"}"""

  Seq(false, true).foreach { restarted =>
    test(
      "files: a closed directory holds time back for no longer than maxIdleLag, and its " +
        s"successors take over${if (restarted) ", with a restart" else ""}"
    ) {
      val folder = TempFolders.create("segments")
      Seq(1, 2).foreach(n => Files.createDirectory(folder.resolve(s"segment=$n")))
      def df = spark.readStream
        .schema("segment INT, time TIMESTAMP")
        .json(folder.toString)
        .withIngestionWatermark(
          "time",
          "0 seconds",
          ingestionTime = "time",
          substream = Seq("segment"),
          name = "events"
        )
        .groupBy(window(col("time"), "10 seconds"))
        .count()
      def append(segment: Int, file: Int, seconds: Int*): Unit =
        addLines(folder.resolve(s"segment=$segment"), file, seconds.map(line(segment, _)))
      append(1, 0, 0, 5)
      append(2, 1, 6)
      val run = new Run(df).start()
      // The wall clock is that of the writers.
      run.clock.advance(6000)
      run.settle()
      assert(time(run) === Some(4999L))
      // Segment 1 is closed; 2 goes on, and 3 follows it.
      run.clock.advance(7000)
      append(2, 2, 12)
      run.settle()
      assert(time(run) === Some(4999L))
      if (restarted) run.restart().settle()
      run.clock.advance(10000)
      append(2, 3, 22)
      Files.createDirectory(folder.resolve("segment=3"))
      append(3, 4, 23)
      run.settle()
      assert(time(run).exists(t => t >= 10000 && t <= 13000))
      assert(run.take() === Seq(s"[$Start,${Start + 10})|3"))
      run.clock.advance(20000)
      append(3, 5, 42)
      run.settle()
      assert(time(run).exists(t => t >= 30000 && t <= 33000))
      assert(run.lateRows === Map.empty)
    }
  }

  test("what is appended while a trigger asks its sources is not taken for read") {
    val log = new PartitionedLog
    val run = new Run(counts(watermarked(log.toDF(spark), "0 seconds", "0 seconds"))).start()
    log.send(0, row(0))
    run.settle()
    // The source has said what there is when this runs, and the clock was not asked yet.
    val once = new AtomicBoolean(true)
    log.limit = _ => {
      if (once.getAndSet(false)) {
        run.clock.advance(15000)
        log.send(0, row(12))
      }
      0L
    }
    run.settle()
    assert(time(run) === Some(0L), "up to when the trigger began")
    log.limit = _ => Long.MaxValue
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(15000L))
  }

  test("what is appended while the first trigger asks its sources is not taken for read") {
    val log = new PartitionedLog
    val run = new Run(counts(watermarked(log.toDF(spark), "0 seconds", "0 seconds")))
    log.send(0, row(0))
    val once = new AtomicBoolean(true)
    log.limit = _ =>
      if (once.getAndSet(false)) {
        run.clock.advance(15000)
        log.send(0, row(12))
        Long.MaxValue
      } else 0L
    run.start().settle()
    assert(time(run) === Some(0L), "up to when the trigger began")
    log.limit = _ => Long.MaxValue
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(15000L))
  }

  test("what is appended while a run that ends by itself begins is not taken for read") {
    // Before Spark 4.2 the thread that starts the query makes the clock: there is no manual clock yet.
    assume(NamedSources.areThere)
    val log = new PartitionedLog
    log.send(0, row(0))
    val run = new Run(counts(watermarked(log.toDF(spark), "0 seconds", "0 seconds")))
    log.prepared = () => {
      run.clock.advance(15000)
      log.send(0, row(12))
    }
    run.runOnce(Trigger.AvailableNow())
    assert(time(run) === Some(0L))
    log.prepared = () => ()
    run.runOnce(Trigger.AvailableNow())
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(15000L))
  }

  test("a query that has one stream twice reads it once") {
    val log = new PartitionedLog
    val df = watermarked(log.toDF(spark, table = "KafkaTable"), "0 seconds")
    val run = new Run(counts(df.union(df))).start()
    log.send(0, row(0), row(31))
    run.settle()
    assert(run.answer === Seq(s"[$Start,${Start + 10})|2"))
    assert(run.query.lastProgress.sources.length === 2, "the clock is one of them")
  }

  test("late rows, lateness, times in the future and idleness, as with event times") {
    val log = new PartitionedLog
    val late = TempFolders.create("late").resolve("rows").toString
    val run = new Run(
      counts(
        log
          .toDF(spark)
          .withColumn("event", expr("time - make_interval(0, 0, 0, 0, 0, 0, n)"))
          .withIngestionWatermark(
            "event",
            "0 seconds",
            ingestionTime = "time",
            substream = Seq("topic", "partition"),
            emission = byMinStep("1 millisecond"),
            name = "events",
            maxFutureSkew = "1 minute",
            idleBehind = "5 seconds",
            lateRows = late,
            allowedLateness = "20 seconds"
          )
      ),
      mode = OutputMode.Update()
    ).start()
    log.send(0, row(0))
    log.send(1, row(0))
    run.settle()
    log.send(0, row(3600))
    run.settle()
    assert(time(run) === Some(-1L), "an hour ahead of the wall clock")
    assert(watermarks(run.query).watermarks("events").futureEvents === 1)
    run.clock.advance(30000)
    log.send(0, row(30))
    run.settle()
    // Otherwise partition 1 would be 10 seconds behind the wall clock.
    assert(time(run) === Some(29999L))
    run.take()
    log.send(1, row(30, age = 25), row(30, age = 60))
    run.settle()
    assert(run.take() === Seq(s"[$Start,${Start + 10})|3"))
    assert(run.lateRows === Map("aggregate" -> 1L))
    assert(spark.read.parquet(late).select("row.n").collect().map(_.getInt(0)).toSeq === Seq(60))
    run.stop()
  }

  test("in SQL, with Kafka's column as the default") {
    val log = new PartitionedLog
    log.toDF(spark).withColumnRenamed("time", "timestamp").createOrReplaceTempView("appended")
    def keyed(arguments: String) =
      spark.sql(
        s"""SELECT window_start, count(*) FROM TUMBLE(IMPOSE_ORDER(
          TABLE(SELECT *, timestamp AS event FROM appended), DESCRIPTOR(event), $arguments,
          substream => DESCRIPTOR(topic, partition), name => 'events'), DESCRIPTOR(event), 10 seconds)
          GROUP BY window_start, window_end"""
      )
    log.send(0, row(0), row(31))
    Seq(
      "policy => ingestion_time(1 second)",
      "policy => ingestion_time(1 second, 10 seconds), ingestion_time => DESCRIPTOR(timestamp)"
    ).foreach { arguments =>
      val run = new Run(keyed(arguments)).start().settle()
      assert(time(run) === Some(29999L))
      assert(run.take() === Seq(s"$Start|1"))
      run.stop()
    }
  }

  private def refused(expected: String)(body: => Any): Unit = {
    val error = intercept[AnalysisException](body)
    assert(error.getMessage.split(";? line ").head.takeWhile(_ != '\n') === expected)
    ()
  }

  test("columns that are not there or are no times") {
    val df = new PartitionedLog().toDF(spark)
    refused(
      "[TIDEGATE_INGESTION_TIME_NOT_FOUND] The ingestion time column `timestamp` does not exist. " +
        "Use one of the columns of the stream: `topic`, `partition`, `time`, `n`. SQLSTATE: 42703"
    )(df.withIngestionWatermark("time", "1 minute"))
    refused(
      "[TIDEGATE_INGESTION_TIME_NOT_TIMESTAMP] The ingestion time column `n` has the type INT, " +
        "but must be a TIMESTAMP or TIMESTAMP_NTZ: the time at which a row was appended to its " +
        "substream, such as Kafka's column `timestamp`. SQLSTATE: 42K09"
    )(df.withIngestionWatermark("time", "1 minute", "n"))
    refused(
      "[TIDEGATE_INVALID_DURATION] The argument `maxIdleLag` is 'soon', which is not a duration. " +
        "Use an interval without months or years, in whole milliseconds, for example " +
        "'5 seconds'. SQLSTATE: 22006"
    )(df.withIngestionWatermark("time", "1 minute", "time", maxIdleLag = "soon"))
  }

  test("the policy without its column, and the column without its policy") {
    val df = new PartitionedLog().toDF(spark)
    refused(
      "[TIDEGATE_INGESTION_TIME_AND_POLICY] The policy `ingestionTime` and the ingestion time " +
        "column do not go together: the column and the policy ingestion_time need each other. " +
        "Use withIngestionWatermark, or in SQL policy => ingestion_time(1 minute), " +
        "ingestion_time => DESCRIPTOR(timestamp). SQLSTATE: 42K08"
    )(df.withKeyedWatermark("time", policy = PolicySpec.of("ingestionTime", Seq("1 minute"))))
  }

  test("times of producers are refused") {
    assert(AppendTimes.checked(5L, 1, UTF8String.fromString("orders")) === 5L)
    refused(
      "[TIDEGATE_NOT_APPEND_TIME] The rows of the topic `orders` have timestamps of the type " +
        "CreateTime, but an ingestion watermark needs LogAppendTime, the times at which the " +
        "broker appended them. Set message.timestamp.type=LogAppendTime for the topic, or use " +
        "withKeyedWatermark. SQLSTATE: 42K09"
    )(AppendTimes.checked(5L, 0, UTF8String.fromString("orders")))
  }
}
