package tidegate.execution

import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneId}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression, UnsafeProjection}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StringType
import tidegate.statistics.LateRows

/**
 * Counts late rows in a task, and words the first few for the log:
 * `Event dropped, late by 123ms. currentWatermark=14:23:10.256, eventTime=14:23:10.123, event=...`
 */
private[execution] final case class LateLog(
    operator: String,
    watermarkMs: Long,
    eventTime: Expression,
    columns: Seq[Attribute],
    timeZone: String,
    late: LateRows,
    metric: SQLMetric
) {

  @transient private lazy val timeOf = UnsafeProjection.create(Seq(eventTime), columns)
  @transient private lazy val textOf =
    UnsafeProjection.create(columns.map(c => Cast(c, StringType, Some(timeZone))), columns)
  @transient private lazy val clockFormat =
    DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.of(timeZone))

  /** Notes a dropped row; the caller may reuse the row object afterwards. */
  def dropped(row: InternalRow): Unit = {
    metric += 1
    late.drop(sentence(row))
  }

  private def sentence(row: InternalRow): String = {
    val timeMs = Math.floorDiv(timeOf(row).getLong(0), 1000L)
    val values = textOf(row)
    val event = columns.indices
      .map { i =>
        val value = if (values.isNullAt(i)) "null" else values.getUTF8String(i).toString
        s"${columns(i).name}=$value"
      }
      .mkString("[", ", ", "]")
    s"Event dropped, late by ${watermarkMs - timeMs}ms. currentWatermark=${clock(watermarkMs)}, " +
      s"eventTime=${clock(timeMs)}, event=$event, operator=$operator"
  }

  private def clock(ms: Long): String = clockFormat.format(Instant.ofEpochMilli(ms))
}
