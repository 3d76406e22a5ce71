package tidegate.operators

import java.time.{Instant, ZoneId}
import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.tidegate.TimestampAddInterval
import org.apache.spark.sql.types.{CalendarIntervalType, DayTimeIntervalType, TimestampType}
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.EventTimeTag

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
  private[operators] val Zero: TimeSum = TimeSum(Map.empty, 0L, 0L)

  /** A column alone. */
  def of(column: ExprId): TimeSum = Zero.copy(columns = Map(column -> 1))

  /**
   * `None` if the expression is no such sum.
   *
   * @param part
   *   the sum that an expression stands for by itself, such as the end of a window
   */
  def of(e: Expression, part: Expression => Option[TimeSum]): Option[TimeSum] =
    try new TimeSumReader(part).read(e)
    catch { case _: ArithmeticException => None }
}

/** Reads expressions as sums of time columns and constants; see [[TimeSum.of]]. */
private[operators] final class TimeSumReader(part: Expression => Option[TimeSum]) {
  import TimeSum.Zero
  import TimeSumReader._

  def read(e: Expression): Option[TimeSum] = part(e).orElse(readWhole(e))

  private def readWhole(e: Expression): Option[TimeSum] = e match {
    // Windows compare by their start first, but only their end counts for a watermark.
    // Months differ in length, so that even two equal intervals of them do not cancel out.
    case a: Attribute if !EventTimeTag.isWindow(a) && a.dataType != CalendarIntervalType =>
      Some(TimeSum.of(a.exprId))
    case c: Cast if c.child.dataType == c.dataType => read(c.child)
    case t: TimestampAddInterval                   =>
      for (time <- read(t.start); interval <- read(t.interval))
        yield time.plus(interval.copy(slackMicros = interval.slackMicros + slack(t, interval)))
    case t: TimestampAdd =>
      for (time <- read(t.timestamp); added <- units(t.unit, t.quantity)) yield {
        // Spark adds units up to hours as they are, and longer ones in local time.
        val slackMicros = if (isOfDays(t.unit)) slack(t.timestamp, t.timeZoneId) else 0L
        time.plus(added.copy(slackMicros = slackMicros))
      }
    case s: SubtractTimestamps =>
      for (l <- read(s.left); r <- read(s.right)) yield {
        val difference = l.minus(r)
        difference.copy(slackMicros = difference.slackMicros + slack(s))
      }
    case Add(l, r, _)          => for (a <- read(l); b <- read(r)) yield a.plus(b)
    case Subtract(l, r, _)     => for (a <- read(l); b <- read(r)) yield a.minus(b)
    case UnaryMinus(child, _)  => read(child).map(Zero.minus)
    case r: RuntimeReplaceable => read(r.replacement)
    case c                     => constant(c)
  }

  private def constant(e: Expression): Option[TimeSum] = e.dataType match {
    case _: DayTimeIntervalType =>
      valueOf(e).collect { case micros: Long => Zero.copy(micros = micros) }
    case CalendarIntervalType =>
      valueOf(e).collect {
        case i: CalendarInterval if i.months == 0 =>
          val days = Math.multiplyExact(i.days.toLong, MicrosPerDay)
          Zero.copy(micros = Math.addExact(days, i.microseconds))
      }
    case _ => None
  }

  /**
   * The value of an expression that is the same in every batch. A function such as
   * `current_timestamp` is constant only for one batch, and some versions of Spark cannot evaluate
   * it here.
   */
  private def valueOf(e: Expression): Option[Any] =
    if (e.foldable && !e.containsPattern(TreePattern.CURRENT_LIKE)) Option(e.eval()) else None

  private def units(unit: String, quantity: Expression): Option[TimeSum] =
    for {
      micros <- MicrosOf.get(unit.toUpperCase(Locale.ROOT))
      n <- valueOf(quantity).collect {
        case i: Int  => i.toLong
        case l: Long => l
      }
    } yield Zero.copy(micros = Math.multiplyExact(micros, n))

  private def isOfDays(unit: String): Boolean =
    MicrosOf.get(unit.toUpperCase(Locale.ROOT)).exists(_ >= MicrosPerDay)

  /** Spark adds whole days in local time: where clocks change, they are not all 24 hours long. */
  private def slack(t: TimestampAddInterval, interval: TimeSum): Long =
    if (hasDays(t.interval, interval)) slack(t.start, t.timeZoneId) else 0L

  /** Spark also subtracts in local time, except where it makes legacy intervals. */
  private def slack(s: SubtractTimestamps): Long =
    if (s.legacyInterval) 0L else slack(s.left, s.timeZoneId)

  private def slack(time: Expression, timeZoneId: Option[String]): Long =
    if (time.dataType != TimestampType) 0L
    else timeZoneId.fold(0L)(id => spreadMicros(DateTimeUtils.getZoneId(id)))

  private def hasDays(e: Expression, interval: TimeSum): Boolean = e.dataType match {
    case CalendarIntervalType =>
      // A column may have days.
      !valueOf(e).exists { case i: CalendarInterval => i.days == 0; case _ => false }
    case _ => interval.columns.nonEmpty || math.abs(interval.micros) >= MicrosPerDay
  }

  /**
   * The difference between the largest and the smallest offset of a zone since 1900. Before, towns
   * had times of their own.
   */
  private def spreadMicros(zone: ZoneId): Long = {
    val rules = zone.getRules
    val offsets = rules.getOffset(From) +:
      (rules.getTransitions.asScala.filter(_.getInstant.isAfter(From)).map(_.getOffsetAfter) ++
        rules.getTransitionRules.asScala.flatMap(r =>
          Seq(r.getOffsetBefore, r.getOffsetAfter)
        )).toSeq
    val seconds = offsets.map(_.getTotalSeconds)
    (seconds.max - seconds.min) * 1000000L
  }
}

private object TimeSumReader {
  private val From = Instant.parse("1900-01-01T00:00:00Z")
  private val MicrosPerSecond = 1000L * 1000
  private val MicrosPerDay = 24L * 3600 * MicrosPerSecond

  /** The units of `timestampadd` that have a length, in µs. */
  private val MicrosOf: Map[String, Long] = Map(
    "MICROSECOND" -> 1L,
    "MILLISECOND" -> 1000L,
    "SECOND" -> MicrosPerSecond,
    "MINUTE" -> 60 * MicrosPerSecond,
    "HOUR" -> 3600 * MicrosPerSecond,
    "DAY" -> MicrosPerDay,
    "DAYOFYEAR" -> MicrosPerDay,
    "WEEK" -> 7 * MicrosPerDay
  )
}
