package tidegate.kafka

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import tidegate._

/** Watermarks that follow the times at which a broker appended rows. */
class KafkaIngestionSuite extends KafkaTest {

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

  private val AppendTimes = "message.timestamp.type" -> "LogAppendTime"

  test("times of appending move the watermark") {
    val topic = newTopic(2, AppendTimes)
    send(topic, record(0, 1000), record(1, 1000))
    val run = new Run(ingested(topic)).start().settle()
    val last = records(topic).groupBy("partition").agg(max("time").as("time"))
    val appended = last.agg(min("time")).head().getTimestamp(0).getTime
    assert(run.watermark("time") === Some(appended - 1 - 60000))
  }

  /** What the query says, whose topic has been found to have the times of producers. */
  private def assertRefused(topic: String): Unit = {
    val error = intercept[StreamingQueryException](new Run(ingested(topic)).start().settle())
    assert(
      error.getMessage.contains(
        s"[TIDEGATE_NOT_APPEND_TIME] The rows of the topic `$topic` have timestamps of the type " +
          "CreateTime, but an ingestion watermark needs LogAppendTime, the times at which the " +
          "broker appended them. Set message.timestamp.type=LogAppendTime for the topic, or use " +
          "withKeyedWatermark."
      )
    )
    ()
  }

  test("a topic with the times of producers is refused before it has a row") {
    assertRefused(newTopic(1))
  }

  test("rows of before the topic was set to append times: the query ends with the type") {
    val topic = newTopic(1)
    send(topic, record(0, 1000))
    client.configure(topic, AppendTimes)
    assertRefused(topic)
  }
}
