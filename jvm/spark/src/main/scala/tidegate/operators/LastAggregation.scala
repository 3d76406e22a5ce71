package tidegate.operators

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import tidegate.plans.KeyedWatermark

/**
 * The last aggregation of a chain of operators. In output mode update it updates, and all operators
 * below it append: it would take an updated row for one more row.
 *
 * A union may have one in each branch.
 */
private[tidegate] object LastAggregation {

  /** The inputs of the last aggregations of a query, where they have operators too. */
  def inputs(query: LogicalPlan, mode: OutputMode): Seq[LogicalPlan] =
    if (mode != OutputMode.Update()) Nil
    else if (isOne(query)) query.children.filter(rows => rows.exists(hasState) && mayAppend(rows))
    else if (hasState(query)) Nil
    else query.children.flatMap(inputs(_, mode))

  /** The output mode of each operator of a query. */
  def modes(query: LogicalPlan, mode: OutputMode): LogicalPlan => OutputMode = {
    val appended = inputs(query, mode)
    operator => if (appended.exists(_.exists(_ eq operator))) OutputMode.Append() else mode
  }

  /**
   * Not with what Spark plans otherwise in output mode update, and not without a keyed watermark.
   */
  private def mayAppend(rows: LogicalPlan): Boolean =
    KeyedWatermark.isIn(rows) && !rows.exists { node =>
      node.isStreaming && (node match {
        case _: Sort | _: GlobalLimit => true
        case _                        => StatefulOperators.of(node).exists(StateFunctions.isOne)
      })
    }

  /** Ranks become aggregations when a query starts. */
  private def isOne(plan: LogicalPlan): Boolean = plan match {
    case _: Aggregate | _: Distinct | _: Window => plan.isStreaming
    case _                                      => false
  }

  private def hasState(plan: LogicalPlan): Boolean = isOne(plan) || StatefulOperators.isOne(plan)
}
