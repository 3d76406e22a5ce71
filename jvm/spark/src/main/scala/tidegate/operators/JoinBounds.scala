package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Join
import tidegate.columns.EventTimeTag

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
   * The windows of both sides that a condition makes equal by their fields, without saying that the
   * windows are.
   */
  def equalWindows(join: Join): Seq[(Attribute, Attribute)] = {
    val comparisons = new TimeComparisons(join)
    val predicates =
      join.condition.toSeq.flatMap(splitConjunctivePredicates).flatMap(Conjunction.split)
    val bounds = of(join)
    for {
      bound <- bounds
      if bound.byMicros == 0 && join.left.outputSet.contains(bound.setBy)
      if bounds.exists(b =>
        b.setBy.exprId == bound.limited.exprId && b.limited.exprId == bound.setBy.exprId &&
          b.byMicros == 0
      )
      if comparisons.areEqualWindows(bound.setBy, bound.limited, predicates)
    } yield (bound.setBy, bound.limited)
  }

  /** The columns with a watermark key. */
  def times(columns: Seq[Attribute]): Seq[Attribute] =
    columns.filter(EventTimeTag.key(_).isDefined)

  /** The join with more predicates in its condition. */
  def and(join: Join, predicates: Seq[Expression]): Join =
    if (predicates.isEmpty) join
    else join.copy(condition = (join.condition.toSeq ++ predicates).reduceOption(And(_, _)))
}
