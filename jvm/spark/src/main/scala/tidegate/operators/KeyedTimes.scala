package tidegate.operators

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import tidegate.columns.EventTimeTag
import tidegate.core.clock.{CoalescedTime, InputTime}
import tidegate.plans.{KeyedWatermark, TimedNode}

/**
 * Which watermark keys the rows of a plan carry, and where the time of each comes from. Decided on
 * the analyzed plan, because the optimizer may remove an empty branch of a union.
 *
 *   - A watermark node adds its key.
 *   - Stateless operators pass keys on.
 *   - A union passes on the keys that all streaming branches have, coalesced; static branches are
 *     neutral.
 *   - A stateful operator says itself which keys it passes on: see [[TimedOperator.passedOn]].
 *
 * The result for a node is computed once and remembered: a join asks for its sides several times,
 * and so does each join above it.
 */
private[tidegate] class KeyedTimes extends TimesByKey {
  private val known = new IdentityHashMap[LogicalPlan, Map[Byte, InputTime]]

  override def of(plan: LogicalPlan): Map[Byte, InputTime] =
    Option(known.get(plan)).getOrElse {
      val times = compute(plan)
      known.put(plan, times)
      times
    }

  protected def compute(plan: LogicalPlan): Map[Byte, InputTime] = plan match {
    case k: KeyedWatermark => of(k.left) + (k.spec.key -> k.spec.time)
    case u: Union          => coalesce(u.children.filter(_.isStreaming))
    case other             =>
      StatefulOperators.of(other).fold(ofAll(other.children))(_.passedOn(other, this))
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

  /** A union matches columns by position, and takes their metadata from the first branch. */
  private def sameColumn(branches: Seq[LogicalPlan], key: Byte): Boolean =
    branches.tail.forall(hasKeyOf(branches.head, _, key))

  private def hasKeyOf(first: LogicalPlan, branch: LogicalPlan, key: Byte): Boolean =
    first.output.zip(branch.output).forall { case (f, b) =>
      !EventTimeTag.key(f).contains(key) || EventTimeTag.key(b).contains(key)
    }

  /**
   * Part of a sentence that says why `key` is missing, such as which branch of a union lacks it.
   */
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
    case StreamJoin(j) if j.children.exists(of(_).contains(key)) =>
      "the join before it has no bound for this time, so that its state may emit rows of any " +
        "age; compare it with a time of the other side, such as " +
        "l >= r - interval 10 minutes AND l <= r + interval 10 minutes"
    case StreamJoin(j) =>
      val side = j.children.find(_.output.exists(EventTimeTag.key(_).contains(key)))
      whyMissing(side.getOrElse(j.left), key)
    case AsOfJoin(j) if j.children.exists(of(_).contains(key)) =>
      s"the as-of join before it passes on only the time of its left side, `${j.leftTime.name}`: " +
        "other times of its rows may be of any age"
    case TimedNode.Of(o) if of(o.children.head).contains(key) =>
      s"${o.kind} before it evicts rows by `${o.eventTime.name}`, when other times of a row may " +
        "have passed long ago; run on that time from there on, and select no other one"
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

private[tidegate] object KeyedTimes {

  /** For a single plan; use one instance for several plans of the same analysis. */
  def of(plan: LogicalPlan): Map[Byte, InputTime] = new KeyedTimes().of(plan)

  def whyMissing(plan: LogicalPlan, key: Byte): String = new KeyedTimes().whyMissing(plan, key)
}
