package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Join, LogicalPlan}
import tidegate.columns.EventTimeTag
import tidegate.operators.{EventTimeColumn, StatefulOperators}
import tidegate.plans.RetagEventTime

/**
 * Leaves Spark's tag on exactly one column under each stateful operator, and on each side of a
 * join: Spark fails on two.
 *
 * The others lose it below the operator and in the operator's own expressions, which hold copies of
 * the metadata, and get it back above it, where the next operator may run on one of them.
 */
object SelectEventTimeColumn {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case j: Join if StatefulOperators.isStreamJoin(j) =>
      // A side that has only Spark's own watermark is left as Spark wants it.
      val sides = j.children.filter(_.output.exists(EventTimeTag.key(_).isDefined))
      val chosen = sides.flatMap(EventTimeColumn.ofSide(j, _).headOption)
      retag(j, sides.flatMap(_.output).filter(EventTimeTag.hasSparkTag), chosen)
    case operator if StatefulOperators.hasOneTime(operator) =>
      val tagged = seen(operator)
      EventTimeColumn.of(operator).orElse(EventTimeColumn.ofSpark(operator, tagged)) match {
        case None if tagged.size == 1 || !tagged.exists(EventTimeTag.key(_).isDefined) => operator
        case chosen => retag(operator, tagged, chosen.toSeq)
      }
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

  private def retag(
      operator: LogicalPlan,
      tagged: Seq[Attribute],
      chosen: Seq[Attribute]
  ): LogicalPlan = {
    val others = tagged.filterNot(a => chosen.exists(_.exprId == a.exprId))
    if (others.isEmpty) operator
    else {
      val stripped = others.map(EventTimeTag.withoutSparkTag)
      val rewritten = operator
        .mapChildren { child =>
          val below = stripped.filter(child.outputSet.contains)
          if (below.isEmpty) child else RetagEventTime.as(below, child)
        }
        .transformExpressions { case a: Attribute =>
          stripped.find(_.exprId == a.exprId).fold(a)(s => a.withMetadata(s.metadata))
        }
      val back = others.filter(rewritten.outputSet.contains)
      if (back.isEmpty) rewritten else RetagEventTime.as(back, rewritten)
    }
  }
}
