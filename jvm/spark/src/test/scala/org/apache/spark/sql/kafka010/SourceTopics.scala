package org.apache.spark.sql.kafka010

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.common.config.ConfigResource
import org.apache.spark.sql.connector.read.streaming.SparkDataStream

/** What the driver may ask of the topics behind a source, with the rights that the source has. */
object SourceTopics {

  /** A setting of a topic; `None` if the source is not Kafka. */
  def config(source: SparkDataStream, topic: String, name: String): Option[String] =
    source match {
      case kafka: KafkaMicroBatchStream =>
        // Any strategy makes the same client, with the settings and tokens of the source.
        val strategy = AssignStrategy(Array.empty)
        val resource = new ConfigResource(ConfigResource.Type.TOPIC, topic)
        Using.resource(strategy.createAdmin(kafka.kafkaOffsetReader.driverKafkaParams)) { admin =>
          val configs = admin.describeConfigs(Seq(resource).asJava).all.get
          Some(configs.get(resource).get(name).value)
        }
      case _ => None
    }
}
