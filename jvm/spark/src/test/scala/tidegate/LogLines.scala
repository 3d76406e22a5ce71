package tidegate

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, DefaultConfiguration, Property}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.layout.template.json.JsonTemplateLayout
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.spark.sql.tidegate.TestQueries
import org.json4s.jackson.JsonMethods.parse

/** Catches what a logger says. */
object LogLines {

  /**
   * The warnings that the logger of that name gives while `body` runs; or lines of a lower level.
   */
  def during(logger: String, level: Level = Level.WARN)(body: => Unit): Seq[String] =
    caught(logger, level, _.getMessage.getFormattedMessage)(body)

  /**
   * The lines of JSON that the logger gives while `body` runs with Spark's structured log, from
   * INFO on: the text and the fields of each.
   */
  def structured(logger: String)(body: => Unit): Seq[(String, Map[String, Any])] = {
    val layout = JsonTemplateLayout
      .newBuilder()
      .setConfiguration(new DefaultConfiguration)
      .setEventTemplateUri("classpath:org/apache/spark/SparkLayout.json")
      .build()
    val lines =
      TestQueries.withStructuredLog(caught(logger, Level.INFO, layout.toSerializable(_))(body))
    lines.map { line =>
      val json = parse(line)
      // Spark's own, such as QUERY_ID, are in capitals.
      val fields = (json \ "context").values.asInstanceOf[Map[String, Any]]
      ((json \ "msg").values.toString, fields.filter(_._1.head.isLower))
    }
  }

  private def caught(logger: String, level: Level, line: LogEvent => String)(
      body: => Unit
  ): Seq[String] = {
    val lines = new ConcurrentLinkedQueue[String]()
    val appender = new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        if (event.getLevel.isMoreSpecificThan(level)) {
          lines.add(line(event))
        }
    }
    appender.start()
    val target = LogManager.getLogger(logger).asInstanceOf[Logger]
    val before = target.getLevel
    // Loggers below may have a level of their own, from an earlier call.
    if (before.isMoreSpecificThan(level)) Configurator.setAllLevels(logger, level)
    target.addAppender(appender)
    try body
    finally {
      target.removeAppender(appender)
      Configurator.setAllLevels(logger, before)
    }
    lines.asScala.toSeq
  }
}
