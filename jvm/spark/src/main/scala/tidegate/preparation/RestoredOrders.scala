package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.{EventTimeOrder, OrderFormat, OrderMark}

/** Whether and how a query continues with the rows that wait in its checkpoint to be ordered. */
private[tidegate] object RestoredOrders {

  /**
   * The plan, in which each order goes on with the format of the checkpoint.
   *
   * @throws AnalysisException
   *   if rows wait in another order: rows of one key would be in two places, or ordered by two
   *   times; or if a newer version wrote them
   */
  def apply(plan: LogicalPlan, checkpoint: StateCheckpoint): LogicalPlan = plan.transform {
    case order: EventTimeOrder =>
      val before = for {
        operator <- order.operator
        schema <- checkpoint.stateSchema(StatefulOperators.ownId(plan, operator))
        mark <- OrderMark.of(schema.keySchema.head.metadata)
      } yield checked(operator, mark, OrderMark.of(order))
      before.fold(order)(mark => order.copy(format = OrderFormat.after(mark.format)))
  }

  private def checked(operator: String, before: OrderMark, now: OrderMark): OrderMark = {
    if (before.format > OrderFormat.Highest)
      throw CheckpointErrors.newerOrder(operator, before.format, OrderFormat.Highest)
    if (!before.sortsAs(now))
      throw CheckpointErrors.orderChanged(operator, before.toString, now.toString)
    before
  }
}
