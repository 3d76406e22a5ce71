package tidegate

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** Catches what a logger says. */
object LogLines {

  /** The warnings that the logger of that name gives while `body` runs. */
  def during(logger: String)(body: => Unit): Seq[String] = {
    val lines = new ConcurrentLinkedQueue[String]()
    val appender = new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        if (event.getLevel.isMoreSpecificThan(Level.WARN)) {
          lines.add(event.getMessage.getFormattedMessage)
        }
    }
    appender.start()
    val target = LogManager.getLogger(logger).asInstanceOf[Logger]
    target.addAppender(appender)
    try body
    finally target.removeAppender(appender)
    lines.asScala.toSeq
  }
}
