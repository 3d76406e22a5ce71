package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.{EventTimeOrder, OrderMark}

/** Whether a query can continue with the rows that wait in its checkpoint to be ordered. */
private[tidegate] object RestoredOrders {

  /**
   * @throws AnalysisException
   *   if they wait in another order: rows of one key would be in two places, or ordered by two
   *   times
   */
  def check(plan: LogicalPlan, checkpoint: StateCheckpoint): LogicalPlan = {
    for {
      order <- plan.collect { case o: EventTimeOrder => o }
      operator <- order.operator
      schema <- checkpoint.stateSchema(StatefulOperators.ownId(plan, operator))
      before <- OrderMark.of(schema.keySchema.head.metadata)
      now = OrderMark.of(order)
      if before != now
    } throw CheckpointErrors.orderChanged(operator, before.toString, now.toString)
    plan
  }
}
