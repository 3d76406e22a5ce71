package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.EventTimeTag
import tidegate.operators.{EventTimeColumn, OneTimeOperator, StreamJoin}
import tidegate.plans.RetagEventTime

/**
 * Leaves Spark's tag on exactly one column under each stateful operator, and on each side of a
 * join: Spark fails on two.
 *
 * The other columns lose the tag below the operator and in the operator's own expressions, which
 * hold copies of the metadata. They get it back above the operator, where the next operator may run
 * on one of them.
 */
object SelectEventTimeColumn {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case StreamJoin(j) =>
      // A side that has only Spark's own watermark is left unchanged.
      val sides = j.children.filter(_.output.exists(EventTimeTag.key(_).isDefined))
      val chosen = sides.flatMap(StreamJoin.times(j, _).headOption)
      retag(j, sides.flatMap(_.output).filter(EventTimeTag.hasSparkTag), chosen)
    case OneTimeOperator(operator, kind) =>
      val tagged = kind.inState(operator).filter(EventTimeTag.hasSparkTag)
      kind.time(operator).orElse(EventTimeColumn.ofSpark(kind.keys(operator), tagged)) match {
        case None if tagged.size == 1 || !tagged.exists(EventTimeTag.key(_).isDefined) => operator
        case chosen => retag(operator, tagged, chosen.toSeq)
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
