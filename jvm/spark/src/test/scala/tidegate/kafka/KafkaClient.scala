package tidegate.kafka

import java.util.Optional

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.serialization.StringSerializer

/** A record for a partition of a topic, with a time in epoch ms. */
final case class KafkaRecord(partition: Int, timestampMs: Long, value: String)

/** Changes what is on a broker; all that is done is done when a method returns. */
final class KafkaClient(address: String) extends AutoCloseable {
  private val settings = Map[String, AnyRef]("bootstrap.servers" -> address)
  private val admin = Admin.create(settings.asJava)

  /**
   * A broker that is not yet the leader of a new partition refuses the first of two requests, and
   * may accept the second: then the first is out of order for ever, until it expires.
   */
  private val inOrder = "max.in.flight.requests.per.connection" -> "1"

  private val producer = new KafkaProducer[String, String](
    (settings + inOrder).asJava,
    new StringSerializer,
    new StringSerializer
  )

  def createTopic(topic: String, partitions: Int, configs: Map[String, String]): Unit = {
    val created =
      new NewTopic(topic, Optional.of(Int.box(partitions)), Optional.empty[java.lang.Short])
    admin.createTopics(Seq(created.configs(configs.asJava)).asJava).all.get
  }

  def configure(topic: String, config: (String, String)): Unit = {
    val resource = new ConfigResource(ConfigResource.Type.TOPIC, topic)
    val entry = new ConfigEntry(config._1, config._2)
    val change = new AlterConfigOp(entry, AlterConfigOp.OpType.SET)
    admin.incrementalAlterConfigs(Map(resource -> Seq(change).asJavaCollection).asJava).all.get
    ()
  }

  /** Adds partitions, until there are so many. */
  def addPartitions(topic: String, total: Int): Unit =
    admin.createPartitions(Map(topic -> NewPartitions.increaseTo(total)).asJava).all.get

  def deleteTopic(topic: String): Unit = admin.deleteTopics(Seq(topic).asJava).all.get

  /** Deletes the records of all partitions, as retention would. */
  def deleteRecords(topic: String, partitions: Int): Unit = {
    val all =
      (0 until partitions).map(new TopicPartition(topic, _) -> RecordsToDelete.beforeOffset(-1))
    admin.deleteRecords(all.toMap.asJava).all.get
  }

  def send(topic: String, records: Seq[KafkaRecord]): Unit = {
    val sent = records.map { r =>
      val at = Long.box(r.timestampMs)
      producer.send(new ProducerRecord[String, String](topic, r.partition, at, null, r.value))
    }
    sent.foreach(_.get)
  }

  override def close(): Unit = {
    producer.close()
    admin.close()
  }
}
