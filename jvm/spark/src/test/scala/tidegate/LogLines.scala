package tidegate

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}

/** Catches what a logger says. */
object LogLines {

  /**
   * The warnings that the logger of that name gives while `body` runs; or lines of a lower level.
   */
  def during(logger: String, level: Level = Level.WARN)(body: => Unit): Seq[String] = {
    val lines = new ConcurrentLinkedQueue[String]()
    val appender = new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        if (event.getLevel.isMoreSpecificThan(level)) {
          lines.add(event.getMessage.getFormattedMessage)
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
