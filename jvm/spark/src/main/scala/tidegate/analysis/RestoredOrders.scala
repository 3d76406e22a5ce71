package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.TidegateErrors
import tidegate.clock.StateCheckpoint
import tidegate.plans.{EventTimeOrder, OrderMark, StatefulOperators}

/** Whether a query can go on with the rows that wait in its checkpoint to be ordered. */
private[analysis] object RestoredOrders {

  /**
   * @throws AnalysisException
   *   if they wait in another order: rows of one key would be in two places, or by two times
   */
  def check(plan: LogicalPlan, checkpoint: StateCheckpoint): LogicalPlan = {
    for {
      order <- plan.collect { case o: EventTimeOrder => o }
      operator <- order.operator
      schema <- checkpoint.stateSchema(StatefulOperators.ownId(plan, operator))
      before <- OrderMark.of(schema.keySchema.head.metadata)
      now = OrderMark.of(order)
      if before != now
    } throw TidegateErrors.orderChanged(operator, before.toString, now.toString)
    plan
  }
}
