package tidegate.kafka

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import tidegate._

/** Event times that are read from what producers wrote, whatever that is. */
class KafkaPayloadSuite extends KafkaTest {

  private val schema = StructType.fromDDL("time timestamp, n int")
  private val YearOne = "0001-01-01T00:00:00Z"
  private val YearLast = "9999-12-31T23:59:59Z"

  private def parsed(df: DataFrame): DataFrame =
    df.select(
      col("topic"),
      col("partition"),
      from_json(col("value").cast("string"), schema).as("event")
    ).select("topic", "partition", "event.*")

  private def keyed(
      topic: String,
      maxFutureSkew: String = null,
      options: Seq[(String, String)] = Nil
  ): DataFrame =
    parsed(subscribe(topic, options: _*)).withKeyedWatermark(
      "time",
      "5 seconds",
      substream = Seq("topic", "partition"),
      maxFutureSkew = maxFutureSkew
    )

  private def json(time: String): String = s"""{"time":"$time","n":1}"""

  private def event(partition: Int, second: Int): KafkaRecord =
    event(partition, at(second.toDouble).toInstant.toString)

  private def event(partition: Int, time: String): KafkaRecord = record(partition, 0, json(time))

  private val broken: Seq[KafkaRecord] =
    Seq("""{"time":null,"n":1}""", """{"n":1}""", json("yesterday"), "{", "\u0000\uffff", "", null)
      .map(record(0, 0, _))

  test("null times and garbage move nothing and are in no window, as in a batch query") {
    val topic = newTopic(2)
    val run = new Run(counts(keyed(topic))).start()
    send(topic, broken :+ event(1, 1000): _*)
    run.settle()
    send(topic, event(0, 1001) +: broken :+ event(0, 1100) :+ event(1, 1100): _*)
    run.settle()
    assert(run.watermark("time") === Some(1095000L))
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[1000,1010)|2"))
    val batch = counts(parsed(records(topic)).where(col("time") < at(1010))).collect()
    assert(run.answer === batch.map(KeyedStreamTest.text).toSeq)
  }

  private val oneByOne = Seq("maxOffsetsPerTrigger" -> "1")

  test("a partition of which only garbage was read holds time back until it speaks") {
    val topic = newTopic(2)
    send(topic, event(0, 1000) +: event(0, 1100) +: broken.map(_.copy(partition = 1)): _*)
    send(topic, event(1, 1003), event(1, 1100))
    val run = new Run(counts(keyed(topic, options = oneByOne))).start().settle()
    assert(run.rowsByBatch.filter(_._2.nonEmpty).keys.min >= broken.size)
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[1000,1010)|2"))
  }

  test(
    "a partition that is read to its end holds time back if it has shown one, until it is idle"
  ) {
    val topic = newTopic(3)
    send(topic, event(0, 1000) +: event(0, 1100) +: broken.map(_.copy(partition = 2)): _*)
    val run = new Run(counts(keyed(topic))).start().settle()
    assert(run.answer === Seq("[1000,1010)|1"), "a partition is empty, and one has no time")
    send(topic, event(1, 1106))
    send(topic, event(0, 1200))
    run.settle()
    assert(run.watermark("time") === Some(1101000L))
    run.clock.advance(60000)
    run.settle()
    assert(run.watermark("time") === Some(1195000L))
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[1000,1010)|1", "[1100,1110)|2"))
  }

  test("null times and garbage pass a query without state") {
    val topic = newTopic(1)
    val run = new Run(keyed(topic).select("n")).start()
    send(topic, broken: _*)
    run.settle()
    assert(run.rows.size === broken.size)
  }

  test("the year 1 is a time like all others, also as the first time of a partition") {
    val topic = newTopic(2)
    val run = new Run(counts(keyed(topic))).start()
    // One after the other: of rows that are sent together, a batch may see those of one partition.
    send(topic, event(0, YearOne))
    run.settle()
    send(topic, event(1, 1000))
    run.settle()
    send(topic, event(0, 1001), event(0, 1100), event(1, 1100), event(1, YearOne))
    run.settle()
    assert(run.watermark("time") === Some(1095000L))
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[-62135769600,-62135769590)|2", "[1000,1010)|2"))
  }

  test("the year 9999 on one partition loses nothing as long as another holds time back") {
    val topic = newTopic(2)
    val run = new Run(counts(keyed(topic))).start()
    send(topic, event(1, 1001))
    run.settle()
    send(topic, event(0, 1000), event(0, YearLast))
    run.settle()
    send(topic, event(0, 1002), event(0, 1100), event(1, 1100))
    run.settle()
    assert(run.watermark("time") === Some(1095000L))
    assert(run.lateRows === Map.empty)
    assert(run.answer === Seq("[1000,1010)|3"))
  }

  test("the year 9999 on every partition ends time, but not with maxFutureSkew") {
    val topic = newTopic(2)
    val run = new Run(counts(keyed(topic))).start()
    val guarded = new Run(counts(keyed(topic, maxFutureSkew = "1 hour"))).start()
    val both = Seq(run, guarded)
    send(topic, event(0, 1000), event(0, YearLast), event(1, 1001), event(1, YearLast))
    both.foreach(_.settle())
    send(topic, event(0, 1002), event(0, 1100), event(1, 1100))
    both.foreach(_.settle())

    assert(run.lateRows === Map("aggregate" -> 3L))
    assert(run.answer === Seq("[1000,1010)|2"))
    assert(guarded.lateRows === Map.empty)
    assert(guarded.watermark("time") === Some(1095000L))
    assert(guarded.answer === Seq("[1000,1010)|3"))
    assert(watermarks(guarded.query).watermarks("time").futureEvents === 2L)
  }
}
