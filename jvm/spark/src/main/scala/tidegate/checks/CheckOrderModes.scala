package tidegate.checks

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.streaming.OutputMode
import tidegate.errors.OrderErrors
import tidegate.own.order.EventTimeOrder

/**
 * Refuses event-time order in output modes other than append: Spark does not know the operator, and
 * would let it run where rows of a result may be emitted again.
 */
object CheckOrderModes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement
          if w.outputMode != OutputMode.Append() &&
            w.inputQuery.exists(_.isInstanceOf[EventTimeOrder]) =>
        throw OrderErrors.orderOutputMode(w.outputMode.toString.toLowerCase)
      case _ => ()
    }
    plan
  }
}
