package tidegate.analysis

import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.types.{CalendarIntervalType, DayTimeIntervalType, TimestampType}
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.plans.EventTimeTag

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

/**
 * Finds the time bounds in a join's condition: comparisons of a keyed time of one side with one of
 * the other, with constant intervals added on either side, and equal windows.
 */
object JoinBounds extends PredicateHelper {

  /** The bounds of a join between streams, the tightest of every pair of columns. */
  def of(join: Join): Seq[JoinBound] =
    in(
      join.condition.toSeq.flatMap(splitConjunctivePredicates),
      times(join.left.output),
      times(join.right.output)
    )

  /** The bounds in predicates that must all hold. */
  def in(
      predicates: Seq[Expression],
      left: Seq[Attribute],
      right: Seq[Attribute]
  ): Seq[JoinBound] = {
    val sides = new Sides(left, right)
    val all = predicates.flatMap(split).flatMap(sides.bounds)
    all
      .groupBy(b => (b.setBy.exprId, b.limited.exprId))
      .values
      .map(_.minBy(_.byMicros))
      .toSeq
      .sortBy(b => (b.setBy.exprId.id, b.limited.exprId.id))
  }

  /** The columns with a watermark key. */
  def times(columns: Seq[Attribute]): Seq[Attribute] =
    columns.filter(EventTimeTag.key(_).isDefined)

  /** The join with more predicates in its condition. */
  def and(join: Join, predicates: Seq[Expression]): Join =
    if (predicates.isEmpty) join
    else join.copy(condition = (join.condition.toSeq ++ predicates).reduceOption(And(_, _)))

  /** `BETWEEN` is two comparisons of a common expression. */
  def split(predicate: Expression): Seq[Expression] =
    splitConjunctivePredicates(predicate match {
      case r: RuntimeReplaceable => inline(r.replacement)
      case other                 => inline(other)
    })

  private def inline(e: Expression): Expression = e match {
    case w: With =>
      w.child.transform { case r: CommonExpressionRef =>
        w.defs.find(_.id == r.id).fold[Expression](r)(_.child)
      }
    case other => other
  }

  private final class Sides(left: Seq[Attribute], right: Seq[Attribute]) {

    def bounds(predicate: Expression): Seq[JoinBound] = predicate match {
      case EqualTo(a: Attribute, b: Attribute) if windows(a, b) => notAfter(a, b) ++ notAfter(b, a)
      case EqualTo(a, b)                                        => atMost(a, b) ++ atMost(b, a)
      case LessThan(a, b)                                       => atMost(a, b)
      case LessThanOrEqual(a, b)                                => atMost(a, b)
      case GreaterThan(a, b)                                    => atMost(b, a)
      case GreaterThanOrEqual(a, b)                             => atMost(b, a)
      case _                                                    => Nil
    }

    private def windows(a: Attribute, b: Attribute): Boolean =
      Seq(a, b).forall(w => EventTimeTag.isWindow(w) && known(w.exprId).isDefined)

    private def notAfter(a: Attribute, b: Attribute): Seq[JoinBound] =
      for (x <- known(a.exprId).toSeq; y <- known(b.exprId).toSeq if oneOfEach(x, y))
        yield JoinBound(x, y, 0L)

    /**
     * The columns have the metadata of the join's input, a reference to them may have an old one.
     */
    private def known(id: ExprId): Option[Attribute] = (left ++ right).find(_.exprId == id)

    private def oneOfEach(a: Attribute, b: Attribute): Boolean =
      left.exists(_.exprId == a.exprId) != left.exists(_.exprId == b.exprId)

    /** `lower <= upper`, or `lower < upper`: in whole ms they let go of the same rows. */
    private def atMost(lower: Expression, upper: Expression): Seq[JoinBound] =
      for {
        low <- TimeSum.of(lower).toSeq
        high <- TimeSum.of(upper).toSeq
        difference = low.minus(high)
        (setBy, limited) <- difference.columns.toSeq match {
          case Seq((a, 1), (b, -1)) => Seq(a -> b)
          case Seq((b, -1), (a, 1)) => Seq(a -> b)
          case _                    => Nil
        }
        a <- known(setBy)
        b <- known(limited)
        // A window is compared by its start first, but goes by its end.
        if oneOfEach(a, b) && !EventTimeTag.isWindow(a) && !EventTimeTag.isWindow(b)
      } yield JoinBound(a, b, difference.slackMicros - difference.micros)
  }
}

/**
 * A sum of time columns and constants.
 *
 * @param columns
 *   how often each is added
 * @param micros
 *   the constants, in µs
 * @param slackMicros
 *   by how much they may differ from this in effect: a day of local time may have another length
 */
private[analysis] final case class TimeSum(
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

private[analysis] object TimeSum {
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

  /** A difference too is one of local times, but for the intervals of old. */
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
