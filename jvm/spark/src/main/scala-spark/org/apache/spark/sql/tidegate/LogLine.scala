package org.apache.spark.sql.tidegate

import scala.jdk.CollectionConverters._

import org.apache.spark.internal.{LogEntry, Logging, MessageWithContext}

/**
 * A line of the log. Spark's structured log (`spark.log.structuredLogging.enabled`) has the fields
 * beside the text, in `context`.
 *
 * @param fields
 *   by the names below
 */
final case class LogLine(text: String, fields: Map[String, String] = Map.empty)

object LogLine {

  /** The name of the query, or its id. */
  val Query = "query"

  /** The name of the watermark; of several after a union. */
  val Watermark = "watermark"

  /** The name of the stateful operator. */
  val Operator = "operator"

  /** The name of the substream; of several if something happened to all of them. */
  val Substream = "substream"

  /** How far a row was behind the watermark, in ms. */
  val LateBy = "lateBy"

  /** Several names as one field. */
  def names(all: Seq[String]): String = all.mkString(", ")
}

/** Writes lines with fields. */
trait LogsLines extends Logging {

  protected def inform(line: LogLine): Unit = logInfo(entry(line))

  protected def warn(line: LogLine): Unit = logWarning(entry(line))

  private def entry(line: LogLine): LogEntry =
    LogEntry.from(MessageWithContext(line.text, line.fields.asJava))
}
