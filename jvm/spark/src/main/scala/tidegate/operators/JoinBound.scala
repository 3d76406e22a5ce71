package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.tidegate.TimestampAddInterval
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * A time bound of a join: `limited >= setBy - byMicros`. A watermark on `setBy` so sets a limit for
 * `limited`: rows below it find no partner any more.
 */
final case class JoinBound(setBy: Attribute, limited: Attribute, byMicros: Long) {

  /** Whether it compares this column. */
  def isOn(column: Attribute): Boolean =
    setBy.exprId == column.exprId || limited.exprId == column.exprId

  /** How far the limit is behind the watermark, in ms; rounded so that no row goes too early. */
  def byMs: Long = -Math.floorDiv(-byMicros, 1000L)

  /** The bound as a comparison, with an interval that has no days of local time. */
  def condition(timeZone: String): Expression = {
    val interval = Literal(new CalendarInterval(0, 0, -byMicros), CalendarIntervalType)
    GreaterThanOrEqual(limited, TimestampAddInterval(setBy, interval, Some(timeZone)))
  }
}
