package tidegate.operators

import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.tidegate.TimestampAddInterval
import org.apache.spark.sql.types.{CalendarIntervalType, DayTimeIntervalType, TimestampType}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * A sum of time columns and constants.
 *
 * @param columns
 *   how often each is added
 * @param micros
 *   the constants, in µs
 * @param slackMicros
 *   by how much the effect of the constants may differ from `micros`: a day of local time may be
 *   longer or shorter than 24 hours
 */
private[tidegate] final case class TimeSum(
    columns: Map[ExprId, Int],
    micros: Long,
    slackMicros: Long
) {

  def plus(other: TimeSum): TimeSum = TimeSum(
    (columns.keySet ++ other.columns.keySet)
      .map(c => c -> (columns.getOrElse(c, 0) + other.columns.getOrElse(c, 0)))
      .filter(_._2 != 0)
      .toMap,
    Math.addExact(micros, other.micros),
    slackMicros + other.slackMicros
  )

  def minus(other: TimeSum): TimeSum = plus(
    TimeSum(
      other.columns.map { case (c, n) => c -> -n },
      Math.negateExact(other.micros),
      other.slackMicros
    )
  )
}

private[tidegate] object TimeSum {
  private val MicrosPerDay = 24L * 3600 * 1000 * 1000
  private val Nothing = TimeSum(Map.empty, 0L, 0L)

  /** `None` if the expression is no such sum. */
  def of(e: Expression): Option[TimeSum] =
    try read(e)
    catch { case _: ArithmeticException => None }

  private def read(e: Expression): Option[TimeSum] = e match {
    case a: Attribute => Some(Nothing.copy(columns = Map(a.exprId -> 1)))
    case c: Cast if c.child.dataType == c.dataType => read(c.child)
    case t: TimestampAddInterval                   =>
      for (time <- read(t.start); interval <- read(t.interval))
        yield time.plus(interval.copy(slackMicros = interval.slackMicros + slack(t, interval)))
    case s: SubtractTimestamps =>
      for (l <- read(s.left); r <- read(s.right)) yield {
        val difference = l.minus(r)
        difference.copy(slackMicros = difference.slackMicros + slack(s))
      }
    case Add(l, r, _)          => for (a <- read(l); b <- read(r)) yield a.plus(b)
    case Subtract(l, r, _)     => for (a <- read(l); b <- read(r)) yield a.minus(b)
    case UnaryMinus(child, _)  => read(child).map(Nothing.minus)
    case r: RuntimeReplaceable => read(r.replacement)
    case c if c.foldable       => constant(c)
    case _                     => None
  }

  private def constant(e: Expression): Option[TimeSum] =
    (e.dataType, e.eval()) match {
      case (_, null)                              => None
      case (_: DayTimeIntervalType, micros: Long) => Some(Nothing.copy(micros = micros))
      case (CalendarIntervalType, i: CalendarInterval) if i.months == 0 =>
        val days = Math.multiplyExact(i.days.toLong, MicrosPerDay)
        Some(Nothing.copy(micros = Math.addExact(days, i.microseconds)))
      case _ => None
    }

  /** Spark adds whole days in local time: where clocks change, they are not all 24 hours long. */
  private def slack(t: TimestampAddInterval, interval: TimeSum): Long =
    if (t.start.dataType != TimestampType || !hasDays(t.interval, interval)) 0L
    else slack(t.timeZoneId)

  /** Spark also subtracts in local time, except where it makes legacy intervals. */
  private def slack(s: SubtractTimestamps): Long =
    if (s.left.dataType != TimestampType || s.legacyInterval) 0L else slack(s.timeZoneId)

  private def slack(timeZoneId: Option[String]): Long =
    timeZoneId.fold(0L)(id => spreadMicros(ZoneId.of(id)))

  private def hasDays(e: Expression, interval: TimeSum): Boolean = e.dataType match {
    case CalendarIntervalType => e.eval().asInstanceOf[CalendarInterval].days != 0
    case _                    => math.abs(interval.micros) >= MicrosPerDay
  }

  /** The difference between the largest and the smallest offset of a zone since 1970. */
  private def spreadMicros(zone: ZoneId): Long = {
    val rules = zone.getRules
    val offsets = rules.getOffset(java.time.Instant.EPOCH) +:
      (rules.getTransitions.asScala.filter(_.toEpochSecond >= 0).map(_.getOffsetAfter) ++
        rules.getTransitionRules.asScala.flatMap(r =>
          Seq(r.getOffsetBefore, r.getOffsetAfter)
        )).toSeq
    val seconds = offsets.map(_.getTotalSeconds)
    (seconds.max - seconds.min) * 1000000L
  }
}
