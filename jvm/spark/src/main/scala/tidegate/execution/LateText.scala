package tidegate.execution

import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneId, ZoneOffset}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.tidegate.LogLine
import org.apache.spark.sql.types.{StringType, TimestampNTZType}
import tidegate.statistics.SubstreamNode

/**
 * Words late rows for the log: `Event dropped, late by 123ms.
 * currentWatermark=2026-01-01T14:23:10.256Z, eventTime=2026-01-01T14:23:10.133Z, event=[...],
 * operator=..., watermark=..., query=..., substream=...`
 *
 * @param substream
 *   the columns that name the substream of a row; none if the rows do not have them
 * @param payloadChars
 *   how much of a row is shown; with 0, no `event`
 */
private[execution] final case class LateText(
    watermarkMs: Long,
    eventTime: Expression,
    columns: Seq[Attribute],
    origin: LateOrigin,
    substream: Option[Seq[Attribute]],
    timeZone: String,
    payloadChars: Int
) {
  import LateText._

  @transient private lazy val timeOf = UnsafeProjection.create(Seq(eventTime), columns)
  @transient private lazy val valuesOf =
    texts(columns.map(c => Cast(c, StringType, Some(timeZone))), payloadChars)
  @transient private lazy val substreams =
    texts(substream.getOrElse(Nil).map(SubstreamText.of), MaxNameChars + 1)
  @transient private lazy val format = DateTimeFormatter
    .ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX")
    .withZone(zone)

  /** A time without a zone counts as UTC. */
  private def zone: ZoneId =
    if (eventTime.dataType == TimestampNTZType) ZoneOffset.UTC
    else DateTimeUtils.getZoneId(timeZone)

  def of(row: InternalRow): LogLine = {
    val timeMs = Math.floorDiv(timeOf(row).getLong(0), 1000L)
    val lateByMs = watermarkMs - timeMs
    val name = substreamName(row)
    LogLine(
      LogText.inOneLine(
        s"Event dropped, late by ${lateByMs}ms. currentWatermark=${time(watermarkMs)}, " +
          s"eventTime=${time(timeMs)}, ${payload(row)}$origin${name.fold("")(", substream=" + _)}"
      ),
      origin.fields ++ name.map(LogLine.Substream -> LogText.inOneLine(_)) +
        (LogLine.LateBy -> lateByMs.toString)
    )
  }

  /** Instead of a line that cannot be made. */
  def unshown: LogLine = LogLine(s"A late row cannot be shown. $origin", origin.fields)

  private def time(ms: Long): String = format.format(Instant.ofEpochMilli(ms))

  private def payload(row: InternalRow): String =
    if (payloadChars == 0) ""
    else {
      val values = valuesOf(row)
      val text = new StringBuilder
      columns.indices.iterator.takeWhile(_ => text.length <= payloadChars).foreach { i =>
        if (i > 0) text ++= ", "
        text ++= columns(i).name ++= "=" ++= textAt(values, i).getOrElse("null")
      }
      s"event=[${LogText.cut(text, payloadChars)}], "
    }

  private def substreamName(row: InternalRow): Option[String] =
    substream.map(_ => nameOf(substreamOf(row)))

  /** What names the substream of a row; the next call changes it. */
  def substreamOf(row: InternalRow): UnsafeRow = substreams(row)

  /** The name in these values; what is longer than `MaxNameChars` is cut. */
  def nameOf(values: UnsafeRow): String = {
    val name = SubstreamNode.name((0 until values.numFields).map(textAt(values, _).orNull))
    LogText.cut(name, MaxNameChars)
  }

  private def textAt(values: UnsafeRow, i: Int): Option[String] =
    if (values.isNullAt(i)) None else Some(values.getUTF8String(i).toString)

  /** Only so much of each text is copied as can be shown. */
  private def texts(of: Seq[Expression], chars: Int): UnsafeProjection =
    UnsafeProjection.create(of.map(Substring(_, Literal(1), Literal(chars))), columns)
}

private object LateText {

  /** How much of the name of a substream is shown. */
  val MaxNameChars = 100
}
