package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import tidegate.TidegateErrors
import tidegate.plans._

/**
 * Which watermark keys the rows of a plan carry, and where the time of each comes from. Decided on
 * the analyzed plan: later an empty branch of a union may be gone.
 *
 *   - A watermark node adds its key.
 *   - Stateless operators and deduplication pass keys on.
 *   - A union passes on the keys that all streaming branches have, coalesced; static branches are
 *     neutral.
 *   - An aggregation, and the operators with user-defined state, pass on only the key that they run
 *     on.
 */
object KeyedTimes {

  def of(plan: LogicalPlan): Map[Byte, InputTime] = plan match {
    case k: KeyedWatermark => of(k.left) + (k.spec.key -> NodeTime(k.spec.name))
    case u: Union          => coalesce(u.children.filter(_.isStreaming).map(of))
    case _: Aggregate | _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState |
        _: TransformWithState | _: TransformWithStateInPySpark =>
      val key = EventTimeColumn.of(plan).flatMap(EventTimeTag.key)
      of(plan.children.head).filter { case (k, _) => key.contains(k) }
    case other => other.children.map(of).foldLeft(Map.empty[Byte, InputTime])(_ ++ _)
  }

  private def coalesce(branches: Seq[Map[Byte, InputTime]]): Map[Byte, InputTime] =
    branches.headOption.fold(Map.empty[Byte, InputTime]) { first =>
      first.keySet
        .filter(k => branches.forall(_.contains(k)))
        .map { k =>
          val inputs = branches.map(_(k)).distinct
          k -> (if (inputs.size == 1) inputs.head else CoalescedTime(inputs))
        }
        .toMap
    }

  /** A sentence part that says why `key` is not there: the branch of a union that lacks it. */
  def whyMissing(plan: LogicalPlan, key: Byte): String = plan match {
    case u: Union =>
      u.children.zipWithIndex
        .find { case (branch, _) => branch.isStreaming && !of(branch).contains(key) }
        .fold("it ends before the union") { case (branch, i) =>
          val columns = branch.output.map(_.name).mkString(", ")
          s"branch ${i + 1} of the union, with the columns $columns, has no watermark with this " +
            "key; call withKeyedWatermark with the same key on it"
        }
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

/** The column that a stateful operator runs on. */
object EventTimeColumn {

  /**
   * The keyed column of the operator: a window before a plain time; among the keys of the operator
   * before among all columns of its input. `None` if it sees no keyed column.
   *
   * @throws AnalysisException
   *   if two are equally good
   */
  def of(operator: LogicalPlan): Option[Attribute] = {
    val input = operator.children.head.output
    operator match {
      case _ if !StatefulOperators.usesEventTime(operator) => None
      case a: Aggregate                                    =>
        val keys = a.groupingExpressions.collect { case key: Attribute => key }
        choose(operator, keyed(keys, input))
      case d: Deduplicate =>
        choose(operator, keyed(d.keys, input)).orElse(only(keyed(input, input)))
      case _: Distinct                   => choose(operator, keyed(input, input))
      case d: DeduplicateWithinWatermark =>
        choose(operator, keyed(d.keys, input)).orElse(choose(operator, keyed(input, input)))
      case _ => choose(operator, keyed(input, input))
    }
  }

  private def keyed(columns: Seq[Attribute], input: Seq[Attribute]): Seq[Attribute] =
    columns
      .flatMap(c => input.find(_.exprId == c.exprId).orElse(Some(c)))
      .filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.hasSparkTag(a))
      .distinct

  private def only(candidates: Seq[Attribute]): Option[Attribute] =
    if (candidates.size == 1) candidates.headOption else None

  private def choose(operator: LogicalPlan, candidates: Seq[Attribute]): Option[Attribute] = {
    val windows = candidates.filter(EventTimeTag.isWindow)
    val best = if (windows.nonEmpty) windows else candidates
    if (best.size > 1) {
      throw TidegateErrors.ambiguousEventTime(
        StatefulOperators.name(operator).getOrElse(operator.nodeName),
        best.map(_.name)
      )
    }
    best.headOption
  }
}
