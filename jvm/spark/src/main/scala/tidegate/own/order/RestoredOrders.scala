package tidegate.own.order

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators

/** Whether a query can continue with the rows that wait in its checkpoint to be ordered. */
private[tidegate] object RestoredOrders {

  /**
   * The plan, if it can.
   *
   * @throws AnalysisException
   *   if rows wait in another order: rows of one key would be in two places, or ordered by two
   *   times; or if a newer version wrote them
   */
  def check(plan: LogicalPlan, checkpoint: StateCheckpoint): LogicalPlan = {
    plan.foreach {
      case order: EventTimeOrder =>
        for {
          operator <- order.operator
          schema <- checkpoint.stateSchema(StatefulOperators.ownId(plan, operator))
          before <- OrderMark.of(schema.keySchema.head.metadata)
        } check(operator, before, OrderMark(order))
      case _ => ()
    }
    plan
  }

  private def check(operator: String, before: OrderMark, now: OrderMark): Unit = {
    if (before.format > OrderFormat.Current)
      throw CheckpointErrors.newerOrder(operator, before.format, OrderFormat.Current)
    if (!before.sortsAs(now))
      throw CheckpointErrors.orderChanged(operator, before.toString, now.toString)
  }
}
