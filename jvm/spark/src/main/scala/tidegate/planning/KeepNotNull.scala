package tidegate.planning

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet,
  IsNotNull,
  NamedExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import tidegate.plans.DropLate

/**
 * Lets a projection know which of its columns are never NULL because of the filter below.
 *
 * Under a join the optimizer puts such filters for the times that the join compares. Spark knows
 * the columns of a filter as not NULL, but not those of a projection above the filter. So the
 * schema of the join's state would depend on whether a column is pruned there, and a checkpoint in
 * which a time is never NULL could not be continued.
 */
private[planning] object KeepNotNull extends PredicateHelper {

  /** The columns of such a projection over rows without late ones, and the filter. */
  def unapply(plan: LogicalPlan): Option[(Seq[NamedExpression], Filter)] = plan match {
    case Project(columns, filter: Filter) if filter.exists(_.isInstanceOf[DropLate]) =>
      val notNull = AttributeSet(
        splitConjunctivePredicates(filter.condition).collect { case IsNotNull(a: Attribute) => a }
      )
      Some(columns.map(marked(_, notNull)) -> filter)
    case _ => None
  }

  private def marked(column: NamedExpression, notNull: AttributeSet): NamedExpression =
    column
      .transform { case a: AttributeReference if notNull.contains(a) => a.withNullability(false) }
      .asInstanceOf[NamedExpression]
}
