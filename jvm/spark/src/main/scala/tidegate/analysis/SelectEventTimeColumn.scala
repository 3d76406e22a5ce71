package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import tidegate.plans._

/**
 * Leaves Spark's tag on exactly one column under each stateful operator: Spark fails on two.
 *
 * The others lose it below the operator and in the operator's own expressions, which hold copies of
 * the metadata, and get it back above it, where the next operator may run on one of them.
 */
object SelectEventTimeColumn {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case operator if StatefulOperators.hasOneTime(operator) => select(operator)
  }

  private def select(operator: LogicalPlan): LogicalPlan = {
    val others = EventTimeColumn.of(operator) match {
      case Some(chosen) => seen(operator).filter(_.exprId != chosen.exprId)
      case None         => if (seen(operator).size > 1) seen(operator) else Nil
    }
    if (others.isEmpty) operator else retag(operator, others)
  }

  /** The tagged columns that reach the state: of an aggregation only the keys do. */
  private def seen(operator: LogicalPlan): Seq[Attribute] = {
    val tagged = operator.children.head.output.filter(EventTimeTag.hasSparkTag)
    operator match {
      case a: Aggregate =>
        val keys = AttributeSet(a.groupingExpressions.collect { case key: Attribute => key })
        tagged.filter(keys.contains)
      case _ => tagged
    }
  }

  private def retag(operator: LogicalPlan, others: Seq[Attribute]): LogicalPlan = {
    val stripped = others.map(EventTimeTag.withoutSparkTag)
    val below = RetagEventTime.as(stripped, operator.children.head)
    val rewritten = operator
      .withNewChildren(below +: operator.children.tail)
      .transformExpressions { case a: Attribute =>
        stripped.find(_.exprId == a.exprId).fold(a)(s => a.withMetadata(s.metadata))
      }
    val back = others.filter(rewritten.outputSet.contains)
    if (back.isEmpty) rewritten else RetagEventTime.as(back, rewritten)
  }
}
