package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Join
import tidegate.columns.EventTimeTag

/**
 * Finds the time bounds in a join's condition: comparisons of a keyed time of one side with a keyed
 * time of the other, with constant intervals added on either side, and equality of windows.
 */
object JoinBounds extends PredicateHelper {

  /** The bounds of a join between streams, the tightest one for every pair of columns. */
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

  /**
   * The predicates in a conjunction; `BETWEEN` is two comparisons that share an expression, which
   * is inlined.
   */
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
     * The column of the join's input, because a reference to it may have outdated metadata.
     */
    private def known(id: ExprId): Option[Attribute] = (left ++ right).find(_.exprId == id)

    private def oneOfEach(a: Attribute, b: Attribute): Boolean =
      left.exists(_.exprId == a.exprId) != left.exists(_.exprId == b.exprId)

    /** `lower <= upper`, or `lower < upper`: in whole ms they drop the same rows. */
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
        // Windows compare by their start first, but only their end counts for a watermark.
        if oneOfEach(a, b) && !EventTimeTag.isWindow(a) && !EventTimeTag.isWindow(b)
      } yield JoinBound(a, b, difference.slackMicros - difference.micros)
  }
}
