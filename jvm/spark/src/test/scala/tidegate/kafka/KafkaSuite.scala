package tidegate.kafka

import org.apache.kafka.common.errors.{TimeoutException, UnknownTopicOrPartitionException}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import tidegate._

/** Keyed watermarks over the partitions of a topic, and what a broker may do to a query. */
class KafkaSuite extends KafkaTest {

  private val Partitions = 8
  private val Behind = 6
  private val Silent = 7

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  private def keyed(df: DataFrame): DataFrame =
    df.withKeyedWatermark("time", "5 seconds", substream = Seq("topic", "partition"))

  /**
   * A minute of events, in order but for four seconds: one partition is ten minutes behind, and one
   * falls silent after its first events.
   */
  private val minute: Seq[KafkaRecord] =
    for {
      partition <- 0 until Partitions
      n <- 0 until (if (partition == Silent) 5 else 120)
      start = if (partition == Behind) 400 else 1000
    } yield record(partition, start + n * 0.5 + (n * 7 % 9) * 0.5)

  /** Ends all windows of the minute, where time follows the partition. */
  private val last: Seq[KafkaRecord] = (0 until Silent).map(record(_, 2000))

  private def newMinute(): String = {
    val topic = newTopic(Partitions)
    send(topic, minute: _*)
    topic
  }

  private def slowly(topic: String, options: (String, String)*): DataFrame =
    subscribe(topic, options :+ ("maxOffsetsPerTrigger" -> "250"): _*)

  private def batchResult(topic: String): Seq[String] =
    counts(records(topic).where(col("time") < at(2000)))
      .collect()
      .toSeq
      .map(KeyedStreamTest.text)
      .sorted

  private def rowsIn(windows: Run): Long = windows.rows.map(_.getLong(1)).sum

  test("one partition is ten minutes behind and one falls silent: no row is dropped") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic)))).start().settle()
    val sparks = new Run(counts(slowly(topic).withWatermark("time", "5 seconds"))).start().settle()
    assert(readOffsets(sparks) === readOffsets(run))
    assert(secondsOf(run) === Some(450))

    run.clock.advance(30000)
    send(topic, last: _*)
    Seq(run, sparks).foreach(_.settle())
    assert(secondsOf(run) === Some(990), "the silent one holds time back until it is idle")
    run.clock.advance(30000)
    run.settle()
    assert(secondsOf(run) === Some(1990))

    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic))
    val lost = minute.size - rowsIn(sparks)
    info(s"of ${minute.size} rows, Tidegate drops 0 and Spark's withWatermark drops $lost")
    assert(lost > 0)
  }

  /** The start of the window that time has reached. */
  private def secondsOf(run: Run): Option[Long] = run.watermark("time").map(_ / 10000 * 10)

  /** Up to where each batch with rows has read the topic. */
  private def readOffsets(run: Run): Seq[String] =
    run.query.recentProgress.toSeq.flatMap(_.sources).filter(_.numInputRows > 0).map(_.endOffset)

  test("killed in every batch, the query gives what an undisturbed one gives") {
    val topic = newMinute()
    val run = checkKills(counts(keyed(slowly(topic))))
    assert(run.answer.nonEmpty)
    assert(run.answer.forall(batchResult(topic).contains))
  }

  test("rows that come while the query is stopped are read by the next run") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic)))).start().settle().stop()
    send(topic, last :+ record(Silent, 2000): _*)
    run.start().settle()
    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic))
  }

  test("the broker stops: Spark's error ends the query, and the next run loses nothing") {
    val topic = newMinute()
    val frame = counts(keyed(slowly(topic, KafkaTest.impatient: _*)))
    val undisturbed = new Run(frame).start().settle().stop()
    val run = new Run(frame)
    run.failIn = id => { if (id == 1) broker.stop(); false }
    val error =
      try intercept[StreamingQueryException](run.start().settle())
      finally broker.start()
    assert(causes(error).exists(_.isInstanceOf[TimeoutException]), error)
    assert(!error.getMessage.contains("TIDEGATE"))
    assert(run.byBatch.keySet === Set(0L, 1L))

    run.failIn = _ => false
    run.start().settle()
    assert(run.byBatch === undisturbed.byBatch)
    assert(run.lateRows === Map.empty)
  }

  test("a topic that is deleted: Spark's error, in the run and at the next start") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic, KafkaTest.impatient: _*)))).start().settle()
    client.deleteTopic(topic)
    val inTheRun = intercept[StreamingQueryException](run.query.awaitTermination(60000))
    val atTheStart = intercept[StreamingQueryException](run.start().settle())
    Seq(inTheRun, atTheStart).foreach { error =>
      assert(causes(error).exists(_.isInstanceOf[UnknownTopicOrPartitionException]), error)
      assert(!error.getMessage.contains("TIDEGATE"))
    }
  }

  test("records of the last batch that were deleted: the error names the setting that goes on") {
    val topic = newMinute()
    val run = new Run(counts(keyed(slowly(topic)))).start().settle()
    // A batch that moves no watermark is followed by none.
    send(topic, record(0, 1059))
    run.settle().stop()
    client.deleteRecords(topic, Partitions)
    val error = intercept[StreamingQueryException](run.start().settle())
    assert(error.getMessage.contains("spark.tidegate.restart.observeLastBatch"))

    withConf("spark.tidegate.restart.observeLastBatch" -> "false") {
      send(topic, last :+ record(Silent, 2000): _*)
      run.start().settle()
    }
    assert(run.watermark("time") === Some(1995000L))
    assert(rowsIn(run) === minute.size + 1)
  }

  test("a partition that is added while the query runs joins in, and is waited for") {
    val topic = newTopic(1)
    send(topic, record(0, 1000), record(0, 1010))
    val run = new Run(counts(keyed(subscribe(topic, "maxOffsetsPerTrigger" -> "2")))).start()
    run.settle()
    assert(run.watermark("time") === Some(1005000L))
    client.addPartitions(topic, 2)
    awaitUntil {
      run.settle(); run.query.lastProgress.sources.exists(_.endOffset.contains("\"1\":"))
    }
    send(
      topic,
      (1 to 6).map(n => record(0, 1100.0 + n)) ++ (0 to 5).map(n => record(1, 1006.0 + n)): _*
    )
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.watermark("time") === Some(1006000L))
    assert(run.answer === Nil)
    send(topic, record(1, 1100))
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[1000,1010)|5", "[1010,1020)|3"))
  }

  test("a hint where there are partitions and no substreams, and none where there are") {
    val topic = newTopic(1)
    def hints(frame: DataFrame) = LogLines.during("tidegate.analysis.SuggestSubstreams") {
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

  test("times of appending move an ingestion watermark") {
    val topic = newTopic(2, "message.timestamp.type" -> "LogAppendTime")
    send(topic, record(0, 1000), record(1, 1000))
    val run = new Run(ingested(topic)).start().settle()
    val appended = records(topic).agg(min("time")).head().getTimestamp(0).getTime
    assert(run.watermark("time") === Some(appended - 1 - 60000))
  }

  test("times of producers: the query ends with the topic and the type") {
    val topic = newTopic(1)
    send(topic, record(0, 1000))
    val error = intercept[StreamingQueryException](new Run(ingested(topic)).start().settle())
    assert(
      error.getMessage.contains(
        s"[TIDEGATE_NOT_APPEND_TIME] The rows of the topic `$topic` have timestamps of the type " +
          "CreateTime, but an ingestion watermark needs LogAppendTime, the times at which the " +
          "broker appended them. Set message.timestamp.type=LogAppendTime for the topic, or use " +
          "withKeyedWatermark."
      )
    )
  }

  private def ingested(topic: String): DataFrame =
    subscribe(topic)
      .withIngestionWatermark(
        "time",
        "1 minute",
        ingestionTime = "time",
        substream = Seq("topic", "partition"),
        emission = byMinStep("1 millisecond")
      )
      .groupBy(window(col("time"), "10 seconds"))
      .count()
}
