package tidegate.preparation

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.InnerLike
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import tidegate.columns.EventTimeTag
import tidegate.core.EndOfTime
import tidegate.operators.{JoinBound, JoinBounds, JoinLimits, KeyedTimes, StreamJoin}
import tidegate.settings.Settings

/**
 * Bounds the times of an inner join whose rows would stay in the state for ever, if the session has
 * a time to live for them: no time of one side is further from a time of the other.
 *
 * From below, because the times of a join reach the one above only if it has bounds. An outer join
 * has to have bounds of its own.
 */
private[preparation] object LimitJoins extends Logging {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val ms = Settings.JoinTimeToLive.in(plan.conf)
    if (ms == 0) plan
    else
      plan.transformUp {
        case StreamJoin(j) if j.joinType.isInstanceOf[InnerLike] => limited(j, ms)
      }
  }

  private def limited(join: Join, ms: Long): Join = {
    val times = new KeyedTimes
    val pairs = for {
      left <- timesOf(join.left, times)
      right <- timesOf(join.right, times)
      if left.dataType == right.dataType
    } yield left -> right
    if (pairs.isEmpty || new JoinLimits(join, times).unbounded.isEmpty) join
    else {
      val compared = pairs.map { case (l, r) => s"${l.name} and ${r.name}" }.mkString(", ")
      logInfo(s"A join without bounds joins rows that are at most $ms ms apart: $compared.")
      val bounds = pairs.flatMap { case (l, r) =>
        val micros = EndOfTime.micros(ms)
        Seq(JoinBound(l, r, micros), JoinBound(r, l, micros))
      }
      CompleteJoinConditions.withNotNull(
        JoinBounds.and(join, bounds.map(_.condition(join.conf.sessionLocalTimeZone)))
      )
    }
  }

  /** The times of a side whose watermark reaches the join. */
  private def timesOf(side: LogicalPlan, times: KeyedTimes): Seq[Attribute] =
    JoinBounds.times(side.output).filter { a =>
      EventTimeTag.isTime(a) && EventTimeTag.key(a).exists(times.of(side).contains)
    }
}
