package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  Deduplicate,
  DeduplicateWithinWatermark,
  Distinct,
  LogicalPlan
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.{
  KeyedDeduplicateWithinWatermarkExec,
  StreamingDeduplicateExec,
  StreamingDeduplicateWithinWatermarkExec
}
import tidegate.operators.KeyedColumns.{choose, keyed, only}

/** Operators that let the first of equal rows through; they pass on all keys. */
private[tidegate] object Deduplications {

  /** Spark runs it as an aggregation by all columns. */
  object OfRows extends OneInputOperator {

    override val name: String = "distinct"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[Distinct]

    override def time(operator: LogicalPlan): Option[Attribute] = choose(name, keyed(operator))

    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] =
      AggregateOperator.bound
  }

  /**
   * Deduplicates by some columns; a time that is not among them only decides which rows are late.
   */
  object ByKeys extends OneInputOperator {

    override val name: String = "deduplicate"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[Deduplicate]

    override def time(operator: LogicalPlan): Option[Attribute] =
      choose(name, keyed(keys(operator), operator)).orElse(only(keyed(operator)))

    override def keys(operator: LogicalPlan): Seq[Attribute] =
      operator.asInstanceOf[Deduplicate].keys

    override def isNeeded(operator: LogicalPlan, time: Attribute): Boolean =
      keys(operator).exists(_.exprId == time.exprId)

    /** Spark's operator runs without a watermark for late rows, and then filters none. */
    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
      case d: StreamingDeduplicateExec =>
        times =>
          d.copy(
            eventTimeWatermarkForLateEvents = None,
            eventTimeWatermarkForEviction = times.evictionOfKeysIfMoved
          )
    }
  }

  /** Deduplicates by some columns, for as long as the delay of the watermark. */
  object WithinWatermark extends OneInputOperator {

    override val name: String = "deduplicateWithinWatermark"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[DeduplicateWithinWatermark]

    override def time(operator: LogicalPlan): Option[Attribute] =
      choose(name, keyed(keys(operator), operator)).orElse(choose(name, keyed(operator)))

    override def keys(operator: LogicalPlan): Seq[Attribute] =
      operator.asInstanceOf[DeduplicateWithinWatermark].keys

    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
      case d: StreamingDeduplicateWithinWatermarkExec =>
        times => KeyedDeduplicateWithinWatermarkExec(d, times.evictionMs)
    }
  }
}
