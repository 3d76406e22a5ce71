package tidegate.own.over

import java.time.ZoneId
import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.core.Saturating

/**
 * Which rows before a row a function sees.
 *
 * @param lower
 *   where the frame begins; none if with the first row
 * @param upper
 *   where the frame ends
 */
sealed trait OverFrame {

  /** Whether rows leave the frame again. */
  def slides: Boolean
}

/**
 * So many rows.
 *
 * @param lower
 *   how many rows before the row the frame begins; none: with the first row of all
 * @param upper
 *   how many rows before the row it ends; 0: with the row itself
 */
final case class OverRows(lower: Option[Int], upper: Int) extends OverFrame {

  override def slides: Boolean = lower.isDefined

  override def toString: String =
    s"ROWS BETWEEN ${lower.fold("UNBOUNDED PRECEDING")(text)} AND ${text(upper)}"

  private def text(rows: Int) = if (rows == 0) "CURRENT ROW" else s"$rows PRECEDING"
}

/**
 * The rows of a span of time. Rows of one time are in the frames of each other.
 *
 * @param lower
 *   how long before the row the frame begins; none: with the first row of all
 * @param upper
 *   how long before the row it ends
 */
final case class OverRange(lower: Option[TimeBefore], upper: TimeBefore) extends OverFrame {

  override def slides: Boolean = lower.isDefined

  override def toString: String =
    s"RANGE BETWEEN ${lower.fold("UNBOUNDED PRECEDING")(_.toString)} AND $upper"
}

/**
 * A time that lies an interval before another one, as Spark computes it: a day is a day of the
 * calendar.
 *
 * @param interval
 *   what is added: not above 0
 * @param zone
 *   the id of the time zone of the calendar
 */
final case class TimeBefore(months: Int, days: Int, micros: Long, zone: String) {

  @transient private lazy val zoneId = ZoneId.of(zone)

  def isZero: Boolean = months == 0 && days == 0 && micros == 0

  /** Whether no time lies after the time itself. */
  def isBefore: Boolean = months <= 0 && days <= 0 && micros <= 0

  /** In µs, as `time`; the lowest time there is instead of one before that. */
  def of(time: Long): Long =
    if (isZero) time
    else if (months == 0 && days == 0) Saturating.add(time, micros)
    else
      try DateTimeUtils.timestampAddInterval(time, months, days, micros, zoneId)
      catch { case _: ArithmeticException => Long.MinValue }

  /** No more than so many µs lie between a time and the time before it. */
  def longest: Long = {
    val calendar =
      if (months == 0 && days == 0) 0L
      // A change of clocks, or of the side of the date line, moves a local time by a day at most.
      else TimeUnit.DAYS.toMicros(31L * -months - days + 1)
    Saturating.add(calendar, -math.max(micros, -Long.MaxValue))
  }

  override def toString: String =
    if (isZero) "CURRENT ROW"
    else {
      val calendar = if (months == 0 && days == 0) "" else s" in $zone"
      s"${new CalendarInterval(-months, -days, -micros)}$calendar PRECEDING"
    }
}

object TimeBefore {

  /** No time before: the row itself, and those of its time. */
  val Zero: TimeBefore = TimeBefore(0, 0, 0L, "UTC")
}
