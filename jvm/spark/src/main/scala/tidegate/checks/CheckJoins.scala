package tidegate.checks

import java.util.Locale

import scala.util.DynamicVariable

import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.StreamingJoinHelper
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.InnerLike
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import tidegate.analysis.KeepOneClock
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.core.clock.InputTime
import tidegate.errors.{JoinErrors, WatermarkErrors}
import tidegate.operators.{JoinBounds, JoinLimits, KeyedTimes, StreamJoin}
import tidegate.plans.{BoundsFollow, KeyedWatermark}
import tidegate.settings.Settings

/**
 * Refuses stream joins whose state could never drop a row, or in which one key means two different
 * times.
 */
object CheckJoins extends (LogicalPlan => Unit) with Logging {

  private val boundsFollow = new DynamicVariable(false)

  /** Lets a join pass whose bounds are added next; for the calling thread. */
  def beforeBounds[T](join: => T): T = boundsFollow.withValue(true)(join)

  /** For every DataFrame. The bound of an inner join may still come in a filter. */
  override def apply(plan: LogicalPlan): Unit =
    if (KeepOneClock.isBeforeExecution(plan)) {
      val inlined = InlineCTE(alwaysInline = true)(plan)
      val times = new KeyedTimes
      joins(inlined, times).foreach { j =>
        if (!isPassing(inlined, j)) checkKeys(j, times)
        if (!j.joinType.isInstanceOf[InnerLike] && isComplete(inlined, j)) {
          if (isUnbounded(j, times)) throw unbounded(j, times)
          if (ExtractEquiJoinKeys.unapply(j).isEmpty) throw JoinErrors.noEquality(j.joinType.sql)
          checkWindows(j)
        }
      }
    }

  /**
   * Spark first analyzes a join by names without its condition, and Spark Connect first analyzes a
   * join without the call that adds its bounds.
   */
  private def isComplete(plan: LogicalPlan, join: Join): Boolean =
    plan.isInstanceOf[WriteToStream] ||
      (join.condition.isDefined && !isPassing(plan, join))

  /** Whether another join takes the place of this one. */
  private def isPassing(plan: LogicalPlan, join: Join): Boolean =
    boundsFollow.value || BoundsFollow.joins(plan).exists(_ eq join)

  /** For the plan of a query that is about to start. */
  def atStart(plan: LogicalPlan): LogicalPlan = {
    val times = new KeyedTimes
    joins(plan, times).filter(isUnbounded(_, times)).foreach { j =>
      // Spark 4.0 does not check the whole plan of a query that starts.
      val isInner = j.joinType.isInstanceOf[InnerLike]
      if (!isInner || Settings.UnboundedJoin.in(plan.conf) == "error") throw unbounded(j, times)
      logWarning(unbounded(j, times).getMessage)
    }
    plan
  }

  private def joins(plan: LogicalPlan, times: KeyedTimes): Seq[Join] = plan.collect {
    case StreamJoin(j) if j.children.exists(times.of(_).nonEmpty) => j
  }

  /** A key that both sides have is one notion of time: it is expected on the same column. */
  private def checkKeys(join: Join, times: KeyedTimes): Unit = {
    val (left, right) = (times.of(join.left), times.of(join.right))
    for {
      key <- left.keySet.intersect(right.keySet).toSeq.sorted
      if nodes(join.left, left(key)) != nodes(join.right, right(key))
      l <- time(join.left, Some(key))
      r <- time(join.right, Some(key))
      if names(join.left, key).intersect(names(join.right, key)).isEmpty
    } throw JoinErrors.joinKeyConflict(key, l.name, r.name)
  }

  /**
   * Spark's own check of outer joins cannot read the ends of windows, only equal windows among the
   * keys, which [[tidegate.analysis.SpellOutBounds]] adds where they follow.
   */
  private def checkWindows(join: Join): Unit = {
    val bounds = JoinBounds.of(join)
    if (
      bounds.nonEmpty && bounds.forall(b => EventTimeTag.isWindow(b.setBy)) &&
      !StreamingJoinHelper.isWatermarkInJoinKeys(join)
    ) {
      val ofLeft = bounds.find(b => join.left.outputSet.contains(b.setBy))
      ofLeft.foreach(b => throw JoinErrors.windowsCompared(join.joinType.sql, b.setBy, b.limited))
    }
  }

  /**
   * The names of the times with a key; for a window, also the name of the column that it was made
   * from.
   */
  private def names(side: LogicalPlan, key: Byte): Seq[String] = for {
    column <- JoinBounds.times(side.output)
    if EventTimeTag.key(column).contains(key)
    name <- column.name +: WindowMark.of(column).map(_.timeColumn).toSeq
  } yield name.toLowerCase(Locale.ROOT)

  /**
   * Watermark nodes by their input and column: two over the same stream, as in a self-join, are
   * equal.
   */
  private def nodes(side: LogicalPlan, time: InputTime): Seq[(LogicalPlan, String)] =
    side.collect {
      case k: KeyedWatermark if time.nodes.contains(k.spec.name) =>
        k.left.canonicalized -> k.eventTime.name
    }

  private def time(side: LogicalPlan, key: Option[Byte] = None): Option[Attribute] =
    JoinBounds.times(side.output).find(a => key.forall(EventTimeTag.key(a).contains))

  private def isUnbounded(join: Join, times: KeyedTimes): Boolean =
    new JoinLimits(join, times).unbounded.nonEmpty

  private def unbounded(join: Join, times: KeyedTimes): AnalysisException =
    lostKey(join, times)
      .orElse(join.children.flatMap(LostTime.in).headOption.map(_.error))
      .getOrElse(
        JoinErrors.joinUnbounded(
          join.joinType.sql,
          join.joinType.isInstanceOf[InnerLike],
          time(join.left),
          time(join.right)
        )
      )

  /** The bounds are there, but the watermark of one of their times ended before the join. */
  private def lostKey(join: Join, times: KeyedTimes): Option[AnalysisException] = (for {
    bound <- JoinBounds.of(join)
    side <- join.children.find(_.outputSet.contains(bound.setBy))
    key <- EventTimeTag.key(bound.setBy)
    if !times.of(side).contains(key)
  } yield WatermarkErrors.keyNotAvailable(
    "join",
    bound.setBy.name,
    key,
    times.whyMissing(side, key)
  )).headOption
}
