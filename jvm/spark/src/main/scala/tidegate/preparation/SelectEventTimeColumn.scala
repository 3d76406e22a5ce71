package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.EventTimeTag
import tidegate.operators.StatefulOperators.OneInput
import tidegate.operators.{EventTimeColumn, StreamJoin}
import tidegate.plans.RetagEventTime

/**
 * Leaves Spark's tag on exactly one column under each stateful operator, and on each side of a
 * join: Spark fails on two.
 *
 * The other columns lose the tag below the operator and in the operator's own expressions, which
 * hold copies of the metadata; a plain column that a join runs on gets one. Above the operator all
 * columns are as they were: the next operator may run on one of them.
 */
object SelectEventTimeColumn {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case StreamJoin(j) =>
      // A side that has only Spark's own watermark is left unchanged.
      val sides = j.children.filter(s => StreamJoin.times(j, s).nonEmpty || hasKey(s))
      val chosen = sides.flatMap(StreamJoin.times(j, _).headOption)
      retag(j, sides.flatMap(_.output).filter(EventTimeTag.hasSparkTag), chosen)
    case OneInput(operator, kind) =>
      val tagged = kind.inState(operator).filter(EventTimeTag.hasSparkTag)
      kind.time(operator).orElse(EventTimeColumn.ofSpark(kind.keys(operator), tagged)) match {
        case None if tagged.size == 1 || !tagged.exists(EventTimeTag.key(_).isDefined) => operator
        case chosen => retag(operator, tagged, chosen.toSeq)
      }
  }

  private def hasKey(plan: LogicalPlan): Boolean =
    plan.output.exists(EventTimeTag.key(_).isDefined)

  private def retag(
      operator: LogicalPlan,
      tagged: Seq[Attribute],
      chosen: Seq[Attribute]
  ): LogicalPlan = {
    val others = tagged.filterNot(a => chosen.exists(_.exprId == a.exprId))
    // A plain column that a join runs on.
    val untagged = chosen.filterNot(EventTimeTag.hasSparkTag)
    val changed = others ++ untagged
    if (changed.isEmpty) operator
    else {
      val lagMs = chosen.flatMap(EventTimeTag.lagMs).headOption.getOrElse(0L)
      val retagged =
        others.map(EventTimeTag.withoutSparkTag) ++ untagged.map(
          EventTimeTag.withSparkTag(_, lagMs)
        )
      val rewritten = operator
        .mapChildren { child =>
          val below = retagged.filter(child.outputSet.contains)
          if (below.isEmpty) child else RetagEventTime.as(below, child)
        }
        .transformExpressions { case a: Attribute =>
          retagged.find(_.exprId == a.exprId).fold(a)(s => a.withMetadata(s.metadata))
        }
      val back = changed.filter(rewritten.outputSet.contains)
      if (back.isEmpty) rewritten else RetagEventTime.as(back, rewritten)
    }
  }
}
