package tidegate.kafka

import org.apache.kafka.common.errors.UnknownTopicOrPartitionException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{SourceProgress, StreamingQueryException}
import tidegate._

/** Keyed watermarks over the partitions of a topic, and what may happen to the topic. */
class KafkaSuite extends KafkaTest {
  import SkewedTopic._

  private def slowly(topic: String, options: (String, String)*): DataFrame =
    subscribe(topic, options :+ limit: _*)

  private def rowsIn(windows: Run): Long = windows.rows.map(_.getLong(1)).sum

  private def newMinute(): String = {
    val topic = newTopic(Slow + 1)
    send(topic, first: _*)
    topic
  }

  test("behind, silent, read slowly and added later: no row is dropped") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic)))).start().settle()
    val sparks = new Run(counts(slowly(topic).withWatermark("time", "5 seconds"))).start().settle()
    assert(readOffsets(sparks) === readOffsets(run))
    assert(secondsOf(run) === Some(450))

    client.addPartitions(topic, Added + 1)
    awaitUntil(Seq(run, sparks).forall(_.settle().query.lastProgress.sources.exists(isAdded)))
    send(topic, later: _*)
    Seq(run, sparks).foreach(_.settle())
    assert(secondsOf(run) === Some(450))

    run.clock.advance(30000)
    send(topic, last((0 to Added).filter(_ != Silent)): _*)
    Seq(run, sparks).foreach(_.settle())
    assert(secondsOf(run) === Some(990), "the silent one holds time back until it is idle")
    run.clock.advance(30000)
    run.settle()
    assert(secondsOf(run) === Some(1990))

    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic, 2000))
    val lost = (first ++ later).size - rowsIn(sparks)
    info(
      s"of ${(first ++ later).size} rows, Tidegate drops 0 and Spark's withWatermark drops $lost"
    )
    assert(lost > 0)
  }

  private def isAdded(source: SourceProgress): Boolean = source.endOffset.contains(s""""$Added":""")

  /** The start of the window that time has reached. */
  private def secondsOf(run: Run): Option[Long] = run.watermark("time").map(_ / 10000 * 10)

  /** Up to where each batch with rows has read the topic. */
  private def readOffsets(run: Run): Seq[String] =
    run.query.recentProgress.toSeq.flatMap(_.sources).filter(_.numInputRows > 0).map(_.endOffset)

  /** SPARK-55271: some Sparks fail after a replayed batch, which is committed by then. */
  private def failsInMetrics(e: StreamingQueryException): Boolean =
    Option(e.getCause).flatMap(_.getStackTrace.headOption).exists { frame =>
      frame.getClassName.contains("KafkaMicroBatchStream") && frame.getMethodName == "metrics"
    }

  // Time becomes visible a trigger later after a start: batches differ, the windows do not.
  test("failed in every batch, the query gives what the batch query gives") {
    val topic = newTopic(2)
    val far = (0 until 60).map(n => record(0, 400.0 + n))
    send(topic, far ++ far.map(r => KafkaRecord(1, r.timestampMs + 600000, "")): _*)
    send(topic, last(0 to 1): _*)
    val run = new Run(counts(keyed(subscribe(topic, "maxOffsetsPerTrigger" -> "40"))))
    var failed = Set.empty[Long]
    run.failIn = id => { val isFirst = !failed(id); failed += id; isFirst }
    def isThrough: Boolean =
      try { run.start().settle(); true }
      catch {
        case e: StreamingQueryException
            if e.getMessage.contains("made to fail") || failsInMetrics(e) =>
          false
      }
    assert(Iterator.fill(30)(isThrough).contains(true))
    assert(failed.size >= 4)
    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic, 2000))
  }

  test("rows that come while the query is stopped are read by the next run") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic)))).start().settle().stop()
    send(topic, last(0 to Slow): _*)
    run.start().settle()
    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic, 2000))
  }

  test("a topic that is deleted: Spark's error, in the run and at the next start") {
    val topic = newTopic(1)
    send(topic, record(0, 1000))
    val run = new Run(counts(keyed(subscribe(topic, KafkaTest.impatient: _*)))).start().settle()
    client.deleteTopic(topic)
    val inTheRun = intercept[StreamingQueryException](run.query.awaitTermination(300000))
    val atTheStart = intercept[StreamingQueryException](run.start().settle())
    Seq(inTheRun, atTheStart).foreach(assertOfKafka[UnknownTopicOrPartitionException])
  }

  test("records of the last batch that were deleted: the error names the setting that goes on") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic)))).start().settle()
    // A batch that moves no watermark is followed by none.
    send(topic, record(0, 1059))
    run.settle().stop()
    client.deleteRecords(topic, Slow + 1)
    val error = intercept[StreamingQueryException](run.start().settle())
    assert(error.getMessage.contains("spark.tidegate.restart.observeLastBatch"))

    withConf("spark.tidegate.restart.observeLastBatch" -> "false") {
      send(topic, last(0 to Slow): _*)
      run.start().settle()
    }
    assert(run.watermark("time") === Some(1995000L))
    assert(rowsIn(run) === first.size + 1)
  }

  test("a partition that is added while the query runs joins in, and is waited for") {
    val topic = newTopic(1)
    send(topic, record(0, 1000), record(0, 1010))
    val run = new Run(counts(keyed(subscribe(topic, "maxOffsetsPerTrigger" -> "4")))).start()
    run.settle()
    assert(run.watermark("time") === Some(1005000L))
    client.addPartitions(topic, 2)
    awaitUntil {
      run.settle().query.lastProgress.sources.exists(_.endOffset.contains("\"1\":"))
    }
    // First those of the new one: without a time it would hold nothing back.
    send(topic, (0 to 9).map(n => record(1, 1006.0 + n)): _*)
    send(topic, (1 to 6).map(n => record(0, 1100.0 + n)): _*)
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.watermark("time") === Some(1010000L))
    assert(run.answer === Seq("[1000,1010)|5"))
    send(topic, record(1, 1100))
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[1000,1010)|5", "[1010,1020)|7"))
  }

  // A lag of two seconds: the row of the second sensor moves the watermark past the first. An early
  // row waits, one that comes too late is dropped.
  test("three sensors, on time, early and late, leave in the order of their times") {
    val topic = newTopic(1)
    val run = new Run(
      subscribe(topic)
        .withKeyedWatermark("time", "2 seconds", substream = Seq("topic", "partition"))
        .orderByEventTime()
        .select(col("value").cast("string"), col("time"))
    ).start()
    def leave(sensor: String, second: Double): Seq[String] = {
      run.clear()
      send(topic, record(0, second, sensor))
      run.settle().rows.map(KeyedStreamTest.text)
    }
    assert(leave("on time", 10) === Nil)
    assert(leave("early", 13) === Seq("on time|10"))
    assert(leave("late", 9) === Nil)
    assert(run.lateRows.values.toSeq === Seq(1L))
    assert(leave("on time", 15.5) === Seq("early|13"))
    assert(leave("early", 20) === Seq("on time|15.5"))
  }

  test("a hint where there are partitions and no substreams, and none where there are") {
    val topic = newTopic(1)
    def hints(frame: DataFrame) = LogLines.during("tidegate.sources.SuggestSubstreams") {
      new Run(frame).start().settle().stop()
      ()
    }
    assert(
      hints(counts(subscribe(topic).withKeyedWatermark("time", "5 seconds", name = "orders"))) ===
        Seq(
          "The watermark `orders` takes all partitions of Kafka for one stream: it follows the " +
            "fastest, and the rows of slower ones are late. The columns `topic` and `partition` " +
            """are there: pass substream=["topic", "partition"] so that none is left behind."""
        )
    )
    assert(hints(counts(keyed(subscribe(topic)))) === Nil)
    assert(
      hints(counts(subscribe(topic).drop("partition").withKeyedWatermark("time", "1 day"))) === Nil
    )
  }
}
