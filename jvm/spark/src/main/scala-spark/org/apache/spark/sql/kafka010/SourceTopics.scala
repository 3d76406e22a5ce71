package org.apache.spark.sql.kafka010

import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.common.config.ConfigResource
import org.apache.spark.sql.connector.read.streaming.SparkDataStream

/**
 * What the driver can find out about the topics behind a Kafka source. Kept apart from the rest of
 * Spark's private API, because this object can be loaded only together with Spark's Kafka
 * connector.
 */
object SourceTopics {

  /** A setting of each topic; empty if the source may not ask for it, or does not read Kafka. */
  def settings(source: SparkDataStream, name: String): Map[String, String] = source match {
    case kafka: KafkaMicroBatchStream =>
      val reader = kafka.kafkaOffsetReader
      val topics = reader.fetchEarliestOffsets().keySet.map(_.topic)
      // Every strategy makes the same client, with the settings and tokens of the source.
      val strategy = AssignStrategy(Array.empty)
      Using.resource(strategy.createAdmin(reader.driverKafkaParams))(settings(_, topics, name))
    case _ => Map.empty
  }

  /**
   * Each topic has an answer of its own: a topic that may not be asked does not hide the others.
   */
  private def settings(admin: Admin, topics: Set[String], name: String): Map[String, String] = {
    val resources = topics.map(new ConfigResource(ConfigResource.Type.TOPIC, _))
    for {
      (topic, answer) <- admin.describeConfigs(resources.asJava).values.asScala.toMap
      config <-
        try Some(answer.get)
        catch { case _: ExecutionException => None }
      // Not every service that speaks Kafka's protocol knows every setting.
      entry <- Option(config.get(name))
      value <- Option(entry.value)
    } yield topic.name -> value
  }
}
