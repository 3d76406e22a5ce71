package tidegate.kafka

import java.nio.file.Path

import scala.concurrent.duration._
import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryException
import tidegate.RestartTest

/** A base for tests on Kafka: a topic for each test, on the one broker of a run. */
trait KafkaTest extends RestartTest {

  protected def broker: KafkaBroker = KafkaTest.broker

  protected def client: KafkaClient = KafkaTest.client

  /** A new topic, with a name that no other test has. */
  def newTopic(partitions: Int, configs: (String, String)*): String = {
    val topic = s"events-${Random.alphanumeric.take(10).mkString}"
    client.createTopic(topic, partitions, configs.toMap)
    topic
  }

  /** A record with a time in seconds. */
  def record(partition: Int, second: Double, value: String = ""): KafkaRecord =
    KafkaRecord(partition, at(second).getTime, value)

  def send(topic: String, records: KafkaRecord*): Unit = client.send(topic, records)

  /** The topic from its beginning, its event time as `time`. */
  def subscribe(topic: String, options: (String, String)*): DataFrame =
    spark.readStream
      .format("kafka")
      .options(KafkaTest.source(topic))
      .option("startingOffsets", "earliest")
      .options(options.toMap)
      .load()
      .withColumnRenamed("timestamp", "time")

  /** The same rows as a table, for the batch result. */
  def records(topic: String): DataFrame =
    spark.read
      .format("kafka")
      .options(KafkaTest.source(topic))
      .load()
      .withColumnRenamed("timestamp", "time")

  /** Waits for what a broker does in its own time. */
  def awaitUntil(condition: => Boolean): Unit = {
    val deadline = 30.seconds.fromNow
    while (!condition) assert(deadline.hasTimeLeft())
  }

  /** The causes of a failed query, from the outermost. */
  def causes(error: StreamingQueryException): Seq[Throwable] =
    Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).toSeq
}

object KafkaTest {

  /** Options of a source that gives up at once. */
  val impatient: Seq[(String, String)] = Seq(
    "fetchOffset.numRetries" -> "1",
    "fetchOffset.retryIntervalMs" -> "0",
    "kafka.default.api.timeout.ms" -> "3000",
    "kafka.request.timeout.ms" -> "1000"
  )

  /** Started by the first suite that needs it, and stopped with the process of the tests. */
  private lazy val broker: KafkaBroker = {
    val started = new KafkaBroker(Path.of(sys.props("tidegate.kafka"), "broker"))
    sys.addShutdownHook(started.close())
    started.start()
    started
  }

  private lazy val client = new KafkaClient(broker.address)

  private def source(topic: String): Map[String, String] = Map(
    "kafka.bootstrap.servers" -> broker.address,
    "subscribe" -> topic
  )
}
