package tidegate.kafka

import java.nio.file.Path

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.reflect.ClassTag
import scala.util.Random

import org.apache.kafka.common.errors.ApiException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.concurrent.Eventually._
import tidegate._

/** A base for tests on Kafka: a topic for each test, on the one broker of a run. */
trait KafkaTest extends RestartTest {

  /** The one of the run: a suite that stops it has one of its own. */
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
      .options(KafkaTest.source(broker.address, topic))
      .options(options.toMap)
      .load()
      .withColumnRenamed("timestamp", "time")

  /** The same rows as a table, for the batch result. */
  def records(topic: String): DataFrame =
    spark.read
      .format("kafka")
      .options(KafkaTest.source(broker.address, topic))
      .load()
      .withColumnRenamed("timestamp", "time")

  def counts(df: DataFrame): DataFrame = KafkaTest.counts(df)

  def keyed(df: DataFrame): DataFrame = KafkaTest.keyed(df)

  /** The windows of the table that begin before a second. */
  def batchResult(topic: String, end: Double): Seq[String] =
    counts(records(topic).where(col("time") < at(end)))
      .collect()
      .map(KeyedStreamTest.text)
      .toSeq
      .sorted

  /**
   * Waits for what a broker, or the process of a query, does in its own time: long enough for a
   * machine on which several suites run.
   */
  def awaitUntil(condition: => Boolean): Unit =
    eventually(timeout(5.minutes), interval(20.millis))(assert(condition))

  /** The query has failed with an error of Kafka's, not with one of ours. */
  def assertOfKafka[T <: ApiException: ClassTag](error: StreamingQueryException): Unit = {
    val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).toSeq
    assert(causes.exists(implicitly[ClassTag[T]].runtimeClass.isInstance), error)
    assert(!causes.map(_.toString).exists(_.contains("TIDEGATE")), error)
  }
}

object KafkaTest {

  /** Options of a source that gives up at once. */
  val impatient: Seq[(String, String)] = Seq(
    "fetchOffset.numRetries" -> "1",
    "fetchOffset.retryIntervalMs" -> "0",
    "kafka.default.api.timeout.ms" -> "3000",
    "kafka.request.timeout.ms" -> "1000"
  )

  def newBroker(settings: (String, Any)*): KafkaBroker = {
    val started = new KafkaBroker(Path.of(sys.props("tidegate.kafka"), "broker"), settings: _*)
    sys.addShutdownHook(started.close())
    started.start()
    started
  }

  /** Started by the first suite that needs it, and stopped with the process of the tests. */
  private lazy val broker: KafkaBroker = {
    val starting = Future(newBroker())(ExecutionContext.global)
    // Meanwhile Spark starts too.
    KeyedStreamTest.session
    Await.result(starting, Duration.Inf)
  }

  private lazy val client = new KafkaClient(broker.address)

  /** A topic from its beginning. */
  def source(address: String, topic: String): Map[String, String] = Map(
    "kafka.bootstrap.servers" -> address,
    "subscribe" -> topic,
    "startingOffsets" -> "earliest",
    // At the end of a partition Spark's questions for its offsets wait behind a fetch, 500 ms each.
    "kafka.fetch.max.wait.ms" -> "10"
  )

  def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  def keyed(df: DataFrame, idleTimeout: String = "60 seconds"): DataFrame =
    df.withKeyedWatermark(
      "time",
      "5 seconds",
      substream = Seq("topic", "partition"),
      idleTimeout = idleTimeout
    )
}
