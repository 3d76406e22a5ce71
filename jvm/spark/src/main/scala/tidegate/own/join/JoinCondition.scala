package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions._

/**
 * The condition of a join in parts.
 *
 * @param ofSide
 *   what the rows of one side alone say: a row for which this is not true has no partner. A row
 *   with a NULL in one of its keys has none either
 * @param ofPair
 *   the rest
 */
private[join] final case class JoinCondition(
    ofSide: Sides[Option[Expression]],
    ofPair: Option[Expression]
)

private[join] object JoinCondition extends PredicateHelper {

  def of(
      condition: Option[Expression],
      columns: Sides[AttributeSet],
      keys: Sides[Seq[Expression]]
  ): JoinCondition = {
    val all = condition.toSeq.flatMap(splitConjunctivePredicates)
    val (certain, others) = all.span(_.deterministic)
    def isOf(isLeft: Boolean)(e: Expression) =
      e.references.nonEmpty && e.references.subsetOf(columns.of(isLeft))
    def ofSide(isLeft: Boolean) = certain.filter(isOf(isLeft)) ++
      keys.of(isLeft).filter(_.nullable).map(IsNotNull(_))
    val ofPair = certain.filterNot(e => isOf(isLeft = true)(e) || isOf(isLeft = false)(e)) ++ others
    def and(parts: Seq[Expression]) = parts.reduceOption(And(_, _))
    JoinCondition(Sides(and(ofSide(isLeft = true)), and(ofSide(isLeft = false))), and(ofPair))
  }
}
