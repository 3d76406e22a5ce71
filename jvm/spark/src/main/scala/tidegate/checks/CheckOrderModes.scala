package tidegate.checks

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.streaming.OutputMode
import tidegate.errors.{AsOfErrors, OrderErrors}
import tidegate.own.asof.StreamAsOfJoin
import tidegate.own.order.EventTimeOrder

/**
 * Refuses event-time order and as-of joins in output modes other than append: Spark does not know
 * these operators, and would let them run where rows of a result may be emitted again.
 */
object CheckOrderModes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement
          if w.outputMode != OutputMode.Append() &&
            w.inputQuery.exists(_.isInstanceOf[EventTimeOrder]) =>
        throw OrderErrors.orderOutputMode(w.outputMode.toString.toLowerCase)
      case w: WriteToStreamStatement
          if w.outputMode != OutputMode.Append() &&
            w.inputQuery.exists(_.isInstanceOf[StreamAsOfJoin]) =>
        throw AsOfErrors.outputMode(w.outputMode.toString.toLowerCase)
      case _ => ()
    }
    plan
  }
}
