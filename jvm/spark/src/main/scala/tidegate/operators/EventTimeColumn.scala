package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.errors.WatermarkErrors
import tidegate.plans.EventTimeOrder

/** The columns that stateful operators run on. */
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
      case o: EventTimeOrder => keyed(Seq(o.eventTime), input).headOption
      case _                 => choose(operator, keyed(input, input))
    }
  }

  /**
   * The keyed columns that one side of a join runs on: those in its bounds, else the only one that
   * there is.
   *
   * @throws AnalysisException
   *   if there are no bounds, and more than one
   */
  def ofSide(join: Join, side: LogicalPlan): Seq[Attribute] = {
    val bounds = JoinBounds.of(join)
    val inBounds = JoinBounds
      .times(side.output)
      .filter(a => bounds.exists(_.isOn(a)))
      // First the one whose rows leave the state: Spark's tag is for one column only.
      .sortBy(a => !bounds.exists(_.limited.exprId == a.exprId))
    if (inBounds.nonEmpty) inBounds
    else choose(join, keyed(side.output, side.output)).toSeq
  }

  /**
   * The column that an operator over Spark's own watermark runs on, if a window function of ours
   * has put several there: among its keys the end of the window, else the first.
   */
  def ofSpark(operator: LogicalPlan, tagged: Seq[Attribute]): Option[Attribute] = {
    val keys = operator match {
      case d: Deduplicate                => tagged.filter(t => d.keys.exists(_.exprId == t.exprId))
      case d: DeduplicateWithinWatermark => tagged.filter(t => d.keys.exists(_.exprId == t.exprId))
      case _                             => Nil
    }
    val candidates = if (keys.isEmpty) tagged else keys
    if (tagged.size < 2 || !tagged.exists(WindowMark.of(_).isDefined)) None
    else candidates.find(EventTimeTag.closesWindow).orElse(candidates.headOption)
  }

  /** Whether the operator does not work without this time; else it only lets rows go by it. */
  def isNeeded(operator: LogicalPlan, time: Attribute): Boolean = operator match {
    case d: Deduplicate => d.keys.exists(_.exprId == time.exprId)
    case j: Join        => JoinBounds.of(j).exists(_.isOn(time))
    case _              => true
  }

  private def keyed(columns: Seq[Attribute], input: Seq[Attribute]): Seq[Attribute] =
    columns
      .flatMap(c => input.find(_.exprId == c.exprId).orElse(Some(c)))
      .filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.hasSparkTag(a))
      .distinct

  private def only(candidates: Seq[Attribute]): Option[Attribute] =
    if (candidates.size == 1) candidates.headOption else None

  private def choose(operator: LogicalPlan, candidates: Seq[Attribute]): Option[Attribute] = {
    val windows = candidates.filter(EventTimeTag.closesWindow)
    val best = if (windows.nonEmpty) windows else candidates
    if (best.size > 1) {
      throw WatermarkErrors.ambiguousEventTime(
        StatefulOperators.name(operator).getOrElse(operator.nodeName),
        best.map(_.name)
      )
    }
    best.headOption
  }
}
