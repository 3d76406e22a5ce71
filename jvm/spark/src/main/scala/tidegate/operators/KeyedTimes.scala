package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.tidegate.TransformWithStateInPySpark
import tidegate.columns.{
  BehindTime,
  CoalescedTime,
  EventTimeTag,
  GridTime,
  InputTime,
  JoinTime,
  NodeTime,
  WindowMark,
  WindowRole
}
import tidegate.plans.KeyedWatermark

/**
 * Which watermark keys the rows of a plan carry, and where the time of each comes from. Decided on
 * the analyzed plan: later an empty branch of a union may be gone.
 *
 *   - A watermark node adds its key.
 *   - Stateless operators and deduplication pass keys on.
 *   - A union passes on the keys that all streaming branches have, coalesced; static branches are
 *     neutral.
 *   - An aggregation, and the operators with user-defined state, pass on only the key that they run
 *     on; an aggregation of windows only at the ends of windows.
 *   - A join of streams passes on the keys of either side for which its bounds set a limit, held
 *     back by what its state may still put out.
 */
object KeyedTimes {

  def of(plan: LogicalPlan): Map[Byte, InputTime] = plan match {
    case k: KeyedWatermark => of(k.left) + (k.spec.key -> NodeTime(k.spec.name))
    case u: Union          => coalesce(u.children.filter(_.isStreaming))
    case j: Join if StatefulOperators.isStreamJoin(j) => joined(j)
    case a: Aggregate                                 => aggregated(a)
    case _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState | _: TransformWithState |
        _: TransformWithStateInPySpark =>
      onlyKeyOf(EventTimeColumn.of(plan), plan.children.head)
    case other => other.children.map(of).foldLeft(Map.empty[Byte, InputTime])(_ ++ _)
  }

  /**
   * A window leaves when it has ended. A plain time that goes with it may be that much older; and a
   * plain time alone leaves, in whole ms, only when it has passed.
   */
  private def aggregated(a: Aggregate): Map[Byte, InputTime] = {
    val column = EventTimeColumn.of(a)
    val grid = column.flatMap(WindowColumns.gridOf(a.child, _))
    onlyKeyOf(column, a.child).flatMap { case (key, time) =>
      val times = a.output.filter(c => EventTimeTag.key(c).contains(key))
      val own = a.output.flatMap(WindowMark.of).filter(isMadeBy(a, column, _))
      val withPlainTime = times.exists { c =>
        !EventTimeTag.isWindow(c) && !WindowMark.of(c).exists(m => own.exists(_.isOfSameWindow(m)))
      }
      (grid, withPlainTime) match {
        case (None, _) if !column.exists(EventTimeTag.closesWindow) =>
          Some(key -> BehindTime(time, 1))
        case (None, true) => None
        // A session may end within a millisecond; its time is a whole one before.
        case (None, false) if times.exists(WindowMark.hasRole(_, WindowRole.Time)) =>
          Some(key -> BehindTime(time, 1))
        case (None, false)                           => Some(key -> time)
        case (Some(g), true) if g.sizeMs > g.slideMs =>
          Some(key -> BehindTime(GridTime(time, g), g.sizeMs - g.slideMs))
        case (Some(g), _) => Some(key -> GridTime(time, g))
      }
    }
  }

  /** Whether a column of ours is of the window that the aggregation runs on, and not of another. */
  private def isMadeBy(a: Aggregate, column: Option[Attribute], mark: WindowMark): Boolean =
    column.exists(c =>
      WindowMark.of(c) match {
        case Some(own) => own.isOfSameWindow(mark)
        // The columns of a session are made in its aggregation.
        case None =>
          EventTimeTag.isWindow(c) && mark.grid.isEmpty && !a.child.output.exists(
            WindowMark.of(_).contains(mark)
          )
      }
    )

  private def onlyKeyOf(column: Option[Attribute], child: LogicalPlan): Map[Byte, InputTime] = {
    val key = column.flatMap(EventTimeTag.key)
    of(child).filter { case (k, _) => key.contains(k) }
  }

  private def joined(join: Join): Map[Byte, InputTime] = {
    val (left, right) = (of(join.left), of(join.right))
    val sides = (left.values ++ right.values).toSeq.distinct
    val limits = new JoinLimits(join)
    val held = for {
      (side, times) <- Seq(join.left -> left, join.right -> right)
      (key, time) <- times
    } yield key -> (time -> limits.ofKey(side, key))
    held
      .groupMap(_._1)(_._2)
      // A key of both sides leaves only if both can say how far.
      .collect {
        case (key, parts) if parts.forall { case (_, limits) => limits.nonEmpty } =>
          val inputs = parts.flatMap { case (time, limits) => time +: limits }
          key -> JoinTime(inputs.distinct, sides)
      }
  }

  private def coalesce(branches: Seq[LogicalPlan]): Map[Byte, InputTime] = {
    val times = branches.map(of)
    val everywhere = times.map(_.keySet).reduceOption(_ intersect _).getOrElse(Set.empty[Byte])
    everywhere
      .filter(sameColumn(branches, _))
      .map { k =>
        val inputs = times.map(_(k)).distinct
        k -> (if (inputs.size == 1) inputs.head else CoalescedTime(inputs))
      }
      .toMap
  }

  /** A union takes columns by their position, and their metadata from the first branch. */
  private def sameColumn(branches: Seq[LogicalPlan], key: Byte): Boolean =
    branches.tail.forall(hasKeyOf(branches.head, _, key))

  private def hasKeyOf(first: LogicalPlan, branch: LogicalPlan, key: Byte): Boolean =
    first.output.zip(branch.output).forall { case (f, b) =>
      !EventTimeTag.key(f).contains(key) || EventTimeTag.key(b).contains(key)
    }

  /** A sentence part that says why `key` is not there: the branch of a union that lacks it. */
  def whyMissing(plan: LogicalPlan, key: Byte): String = plan match {
    case u: Union =>
      val branches = u.children.zipWithIndex.filter(_._1.isStreaming)
      def named(branch: LogicalPlan, i: Int) =
        s"branch ${i + 1} of the union, with the columns ${branch.output.map(_.name).mkString(", ")},"
      branches
        .collectFirst {
          case (branch, i) if !of(branch).contains(key) =>
            s"${named(branch, i)} has no watermark with this key; call withKeyedWatermark with the " +
              "same key on it"
          case (branch, i) if !hasKeyOf(branches.head._1, branch, key) =>
            s"${named(branch, i)} has this key on another column; put it at the same place with select"
        }
        .getOrElse("it ends before the union")
    case j: Join if StatefulOperators.isStreamJoin(j) && j.children.exists(of(_).contains(key)) =>
      "the join before it has no bound for this time, so that its state may put out rows of any " +
        "age; compare it with a time of the other side, such as " +
        "l >= r - interval 10 minutes AND l <= r + interval 10 minutes"
    case j: Join if StatefulOperators.isStreamJoin(j) =>
      whyMissing(
        j.children.find(_.output.exists(EventTimeTag.key(_).contains(key))).getOrElse(j.left),
        key
      )
    case other =>
      other.children.headOption match {
        case Some(child) if of(child).contains(key) =>
          s"${StatefulOperators.name(other).getOrElse(other.nodeName)} before it runs on another " +
            "key and passes on only that one; use its window as the time from there on"
        case Some(child) => whyMissing(child, key)
        case None        => "no watermark with this key is defined before it"
      }
  }
}
