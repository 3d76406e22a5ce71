package tidegate.operators

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.{GroupStateTimeout, TimeMode}
import org.apache.spark.sql.tidegate.TransformWithStateInPySpark
import tidegate.plans.{DropLate, EventTimeOrder}

/** Spark's stateful operators in a logical plan over streams. */
object StatefulOperators {

  /** Spark's operators have lower numbers. */
  val FirstOwnId = 1000L

  /** The name of a stateful operator; its data is the first child. `None` for all other nodes. */
  def name(plan: LogicalPlan): Option[String] =
    if (!plan.children.headOption.exists(_.isStreaming)) None
    else
      plan match {
        case _: Aggregate                      => Some("aggregate")
        case _: Distinct                       => Some("distinct")
        case _: Deduplicate                    => Some("deduplicate")
        case _: DeduplicateWithinWatermark     => Some("deduplicateWithinWatermark")
        case _: FlatMapGroupsWithState         => Some("flatMapGroupsWithState")
        case _: FlatMapGroupsInPandasWithState => Some("applyInPandasWithState")
        case _: TransformWithState             => Some("transformWithState")
        case _: TransformWithStateInPySpark    => Some("transformWithStateInPandas")
        case j: Join if isStreamJoin(j)        => Some("join")
        case _: EventTimeOrder                 => Some(EventTimeOrder.StateName)
        case _: GlobalLimit                    => Some("limit")
        case _                                 => None
      }

  /** A join with rows of both sides in its state. */
  def isStreamJoin(join: Join): Boolean = join.left.isStreaming && join.right.isStreaming

  /** Whether the operator has one input of rows that it may find late. */
  def hasOneTime(plan: LogicalPlan): Boolean =
    name(plan).isDefined && !plan.isInstanceOf[GlobalLimit] && !plan.isInstanceOf[Join]

  /** Operators with user-defined state may work with processing time, or without time. */
  def usesEventTime(plan: LogicalPlan): Boolean = plan match {
    case f: FlatMapGroupsWithState         => f.timeout == GroupStateTimeout.EventTimeTimeout()
    case f: FlatMapGroupsInPandasWithState => f.timeout == GroupStateTimeout.EventTimeTimeout()
    case t: TransformWithState             => t.timeMode == TimeMode.EventTime()
    case t: TransformWithStateInPySpark    => t.timeMode == TimeMode.EventTime()
    case _                                 => true
  }

  /**
   * The number under which an operator of ours has its state: its place among all that drop late
   * rows, far from those that Spark counts.
   */
  def ownId(plan: LogicalPlan, operator: String): Long =
    FirstOwnId + plan.collect { case d: DropLate => d.operator }.indexOf(operator)

  def isOne(plan: LogicalPlan): Boolean = name(plan).isDefined

  def existIn(plan: LogicalPlan): Boolean = plan.exists(isOne)
}
