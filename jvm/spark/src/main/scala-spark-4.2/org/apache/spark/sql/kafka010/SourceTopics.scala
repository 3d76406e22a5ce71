package org.apache.spark.sql.kafka010

import java.util.concurrent.ExecutionException

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.common.config.ConfigResource
import org.apache.spark.sql.connector.read.streaming.SparkDataStream

/**
 * What the driver may ask of the topics behind a source of Kafka. Not with the rest of Spark's
 * private API, as it can be loaded only where Spark's connector to Kafka is.
 */
object SourceTopics {

  /** A setting of each topic; of none if the source may not ask for it, or is not Kafka. */
  def settings(source: SparkDataStream, name: String): Map[String, String] = source match {
    case kafka: KafkaMicroBatchStream =>
      val reader = kafka.kafkaOffsetReader
      val topics = reader.fetchEarliestOffsets().keySet.map(_.topic)
      // Any strategy makes the same client, with the settings and tokens of the source.
      val strategy = AssignStrategy(Array.empty)
      Using.resource(strategy.createAdmin(reader.driverKafkaParams))(settings(_, topics, name))
    case _ => Map.empty
  }

  /** Each topic is asked by itself: one that refuses hides no other. */
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
