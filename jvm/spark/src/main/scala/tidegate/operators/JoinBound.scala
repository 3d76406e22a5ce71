package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.tidegate.TimestampAddInterval
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.EventTimeTag

/**
 * A time bound of a join: `limited >= setBy - byMicros`. So a watermark on `setBy` sets a limit for
 * `limited`: rows below the limit find no partner any more. A window counts as its end.
 *
 * @param setBy
 *   a keyed time, mostly of the other side
 * @param limited
 *   a keyed time; or a plain one that is equal to `setBy`, up to a constant
 */
final case class JoinBound(setBy: Attribute, limited: Attribute, byMicros: Long) {

  /** Whether the bound compares this column. */
  def isOn(column: Attribute): Boolean =
    setBy.exprId == column.exprId || limited.exprId == column.exprId

  /** Whether the bound comes from an equality of `setBy` with a plain column. */
  def isOfPlain: Boolean =
    setBy.exprId == limited.exprId || EventTimeTag.key(limited).isEmpty

  /** How far the limit is behind the watermark, in ms; rounded so that no row leaves too early. */
  def byMs: Long = -Math.floorDiv(-byMicros, 1000L)

  /**
   * The bound as a comparison, with an interval without days, whose length would depend on the time
   * zone.
   */
  def condition(timeZone: String): Expression = {
    val interval = Literal(new CalendarInterval(0, 0, -byMicros), CalendarIntervalType)
    GreaterThanOrEqual(limited, TimestampAddInterval(setBy, interval, Some(timeZone)))
  }
}
