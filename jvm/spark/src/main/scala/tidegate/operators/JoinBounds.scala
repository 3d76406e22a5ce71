package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.tidegate.TimestampAddInterval
import org.apache.spark.sql.types.{
  CalendarIntervalType,
  DataType,
  StructType,
  TimestampNTZType,
  TimestampType
}
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.WindowTimes.MicrosPerMs
import tidegate.columns.{EventTimeTag, WindowMark, WindowTimes}

/**
 * Finds the time bounds in a join's condition: comparisons of a keyed time of one side with a keyed
 * time of the other, with constant intervals added on either side; equality of windows or of their
 * fields; and equality of a keyed time with a plain time column of the other side.
 */
object JoinBounds extends PredicateHelper {

  /** The bounds of a join between streams, the tightest one for every pair of columns. */
  def of(join: Join): Seq[JoinBound] =
    in(join.condition.toSeq.flatMap(splitConjunctivePredicates), join)

  /** The bounds in predicates that must all hold. */
  def in(predicates: Seq[Expression], join: Join): Seq[JoinBound] = {
    val comparisons = new TimeComparisons(join)
    val all = predicates.flatMap(Conjunction.split)
    val keyed = tightest(all.flatMap(comparisons.bounds))
    // A plain column limits a side only if nothing else does: a bound between keyed times may let
    // rows wait for longer.
    val plain = tightest(all.flatMap(comparisons.plainBounds)).filterNot { b =>
      keyed.exists(k => comparisons.areOfOneSide(k.limited, b.limited))
    }
    (keyed ++ plain).sortBy(b => (b.setBy.exprId.id, b.limited.exprId.id))
  }

  private def tightest(bounds: Seq[JoinBound]): Seq[JoinBound] =
    bounds.groupBy(b => (b.setBy.exprId, b.limited.exprId)).values.map(_.minBy(_.byMicros)).toSeq

  /**
   * Equalities of windows that follow from a condition about their fields, and do not stand in it:
   * Spark's check of joins reads only these.
   */
  def equalWindows(join: Join): Seq[Expression] = {
    val comparisons = new TimeComparisons(join)
    val predicates =
      join.condition.toSeq.flatMap(splitConjunctivePredicates).flatMap(Conjunction.split)
    val bounds = of(join)
    for {
      bound <- bounds
      if join.left.outputSet.contains(bound.setBy)
      if bounds.exists(b =>
        b.setBy.exprId == bound.limited.exprId && b.limited.exprId == bound.setBy.exprId &&
          b.byMicros == -bound.byMicros
      )
      equality <- comparisons.equality(bound, predicates)
    } yield equality
  }

  /** The columns with a watermark key. */
  def times(columns: Seq[Attribute]): Seq[Attribute] =
    columns.filter(EventTimeTag.key(_).isDefined)

  /** The join with more predicates in its condition. */
  def and(join: Join, predicates: Seq[Expression]): Join =
    if (predicates.isEmpty) join
    else join.copy(condition = (join.condition.toSeq ++ predicates).reduceOption(And(_, _)))
}

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

/** What single comparisons in the condition of a join say about the times of its sides. */
private[operators] final class TimeComparisons(join: Join) {
  private val keyed = JoinBounds.times(join.left.output ++ join.right.output)
  private val windows = new WindowTerms(join)

  /** The bounds between keyed times. */
  def bounds(predicate: Expression): Seq[JoinBound] = predicate match {
    case EqualTo(a: Attribute, b: Attribute) if areWindows(a, b) => notAfter(a, b) ++ notAfter(b, a)
    case EqualTo(a, b)                                           => atMost(a, b) ++ atMost(b, a)
    case LessThan(a, b)                                          => atMost(a, b)
    case LessThanOrEqual(a, b)                                   => atMost(a, b)
    case GreaterThan(a, b)                                       => atMost(b, a)
    case GreaterThanOrEqual(a, b)                                => atMost(b, a)
    case _                                                       => Nil
  }

  /**
   * The bounds of an equality of a keyed time with a plain time of the other side, or of windows of
   * them: both are below the watermark together. As in Spark, this limits the keyed time too,
   * although nothing says how late the rows of the plain time come.
   */
  def plainBounds(predicate: Expression): Seq[JoinBound] = predicate match {
    case EqualTo(a: Attribute, b: Attribute) if EventTimeTag.isWindow(a) =>
      for {
        (x, y) <- Seq((a, b), (b, a))
        setBy <- known(x.exprId).toSeq
        limited <- plain(y.exprId).toSeq
        if limited.dataType == setBy.dataType && !areOfOneSide(setBy, limited)
        bound <- Seq(JoinBound(setBy, limited, 0L), JoinBound(setBy, setBy, 0L))
      } yield bound
    case EqualTo(a, b) =>
      for {
        difference <- difference(a, b).toSeq
        ((x, 1), (y, -1)) <- terms(difference).toSeq
        (setBy, limited, micros) <- known(x).map((_, plain(y), difference.micros)).toSeq ++
          known(y).map((_, plain(x), -difference.micros))
        of <- limited.toSeq
        // The time of a window is passed as soon as the window comes: it would wait for no partner.
        if WindowMark.of(setBy).isEmpty && of.dataType == setBy.dataType && !areOfOneSide(setBy, of)
        bound <- Seq(
          JoinBound(setBy, of, difference.slackMicros - micros),
          JoinBound(setBy, setBy, 0L)
        )
      } yield bound
    case _ => Nil
  }

  /**
   * The equality of the windows of two sides whose ends are always equally far apart, if the
   * condition lacks it: of the windows themselves, or of one with what it is by the end of the
   * other.
   *
   * @param apart
   *   one of the two bounds that say so
   */
  def equality(apart: JoinBound, predicates: Seq[Expression]): Option[Expression] = {
    val (a, b) = (apart.setBy, apart.limited)
    if (!areWindows(a, b) || predicates.exists(isEquality(a, b))) None
    else if (apart.byMicros == 0 && areEqualWindows(a, b, predicates)) Some(EqualTo(a, b))
    else if (apart.byMicros % MicrosPerMs != 0) None
    else {
      // b.end = a.end - by
      val byMs = apart.byMicros / MicrosPerMs
      windows
        .sizeMs(a)
        .map(size => EqualTo(a, byEnd(b, byMs, size)))
        .orElse(windows.sizeMs(b).map(size => EqualTo(b, byEnd(a, -byMs, size))))
    }
  }

  /** The window of a length that ends so much later than another one. */
  private def byEnd(other: Attribute, laterMs: Long, sizeMs: Long): Expression = {
    val end = GetStructField(other, 1)
    CreateNamedStruct(
      Seq(
        Literal("start"),
        WindowTimes.shifted(end, laterMs - sizeMs),
        Literal("end"),
        WindowTimes.shifted(end, laterMs)
      )
    )
  }

  private def isEquality(a: Attribute, b: Attribute)(predicate: Expression): Boolean =
    predicate match {
      case EqualTo(x: Attribute, y: Attribute) => Set(x.exprId, y.exprId) == Set(a.exprId, b.exprId)
      case _                                   => false
    }

  /** Whether two windows whose ends are equal have equal starts as well. */
  private def areEqualWindows(
      a: Attribute,
      b: Attribute,
      predicates: Seq[Expression]
  ): Boolean =
    windows.sizeMs(a).exists(windows.sizeMs(b).contains) || predicates.exists {
      case EqualTo(GetStructField(x: Attribute, 0, _), GetStructField(y: Attribute, 0, _)) =>
        Set(x.exprId, y.exprId) == Set(a.exprId, b.exprId)
      case _ => false
    }

  def areOfOneSide(a: Attribute, b: Attribute): Boolean = isLeft(a.exprId) == isLeft(b.exprId)

  private def areWindows(a: Attribute, b: Attribute): Boolean =
    Seq(a, b).forall(w => EventTimeTag.isWindow(w) && known(w.exprId).isDefined)

  private def notAfter(a: Attribute, b: Attribute): Seq[JoinBound] =
    for (x <- known(a.exprId).toSeq; y <- known(b.exprId).toSeq if !areOfOneSide(x, y))
      yield JoinBound(x, y, 0L)

  /** `lower <= upper`, or `lower < upper`: in whole ms they drop the same rows. */
  private def atMost(lower: Expression, upper: Expression): Seq[JoinBound] =
    for {
      difference <- difference(lower, upper).toSeq
      ((setBy, 1), (limited, -1)) <- terms(difference).toSeq
      a <- known(setBy)
      b <- known(limited)
      // The end of a window is passed at its very time, a plain time is not.
      if !areOfOneSide(a, b) && EventTimeTag.isWindow(a) == EventTimeTag.isWindow(b)
    } yield JoinBound(a, b, difference.slackMicros - difference.micros)

  private def difference(a: Expression, b: Expression): Option[TimeSum] =
    for (x <- TimeSum.of(a, windows.of); y <- TimeSum.of(b, windows.of)) yield x.minus(y)

  /** The added and the subtracted column of a sum of two. */
  private def terms(sum: TimeSum): Option[((ExprId, Int), (ExprId, Int))] =
    sum.columns.toSeq.sortBy(-_._2) match {
      case Seq(added, subtracted) => Some(added -> subtracted)
      case _                      => None
    }

  /** The column of the join's input, because a reference to it may have outdated metadata. */
  private def known(id: ExprId): Option[Attribute] = keyed.find(_.exprId == id)

  private def plain(id: ExprId): Option[Attribute] =
    (join.left.output ++ join.right.output).find { a =>
      a.exprId == id && known(id).isEmpty && isTime(a.dataType)
    }

  private def isTime(dataType: DataType): Boolean = dataType match {
    case StructType(Array(start, end)) =>
      start.name == "start" && end.name == "end" && start.dataType == end.dataType &&
      isTime(end.dataType)
    case other => other == TimestampType || other == TimestampNTZType
  }

  private def isLeft(id: ExprId): Boolean = join.left.output.exists(_.exprId == id)
}
