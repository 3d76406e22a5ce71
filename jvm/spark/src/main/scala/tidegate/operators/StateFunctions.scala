package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  FlatMapGroupsInPandasWithState,
  FlatMapGroupsWithState,
  LogicalPlan,
  TransformWithState
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.python.streaming.FlatMapGroupsInPandasWithStateExec
import org.apache.spark.sql.streaming.{GroupStateTimeout, TimeMode}
import org.apache.spark.sql.tidegate.{
  FlatMapGroupsWithStateExec,
  TransformWithStateExec,
  TransformWithStateInPySpark,
  TransformWithStateInPySparkExec
}
import tidegate.core.clock.InputTime
import tidegate.operators.StateTimes.NothingIsLate

/** Operators whose state a user's function keeps. */
private[tidegate] object StateFunctions {

  /** Whether an operator is one of them. */
  def isOne(operator: TimedOperator): Boolean = operator.isInstanceOf[StateFunction]

  /** They may use processing time or no time at all, and pass on only the key that they run on. */
  sealed trait StateFunction extends OneInputOperator {

    /**
     * Spark gives a user's function no watermark before the epoch, and takes no timeout before it.
     */
    final override def lowestMs: Long = 0L

    override def time(operator: LogicalPlan): Option[Attribute] =
      if (!usesEventTime(operator)) None
      else KeyedColumns.choose(name, KeyedColumns.keyed(operator))

    override def passedOn(operator: LogicalPlan, times: TimesByKey): Map[Byte, InputTime] =
      times.onlyKeyOf(time(operator), operator.children.head)
  }

  object FlatMapGroups extends StateFunction {

    override val name: String = "flatMapGroupsWithState"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[FlatMapGroupsWithState]

    override def usesEventTime(operator: LogicalPlan): Boolean =
      operator.asInstanceOf[FlatMapGroupsWithState].timeout == GroupStateTimeout.EventTimeTimeout()

    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
      case f: FlatMapGroupsWithStateExec =>
        times =>
          f.copy(
            eventTimeWatermarkForLateEvents = NothingIsLate,
            eventTimeWatermarkForEviction = times.eviction
          )
    }
  }

  object ApplyInPandas extends StateFunction {

    override val name: String = "applyInPandasWithState"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[FlatMapGroupsInPandasWithState]

    override def usesEventTime(operator: LogicalPlan): Boolean =
      operator.asInstanceOf[FlatMapGroupsInPandasWithState].timeout ==
        GroupStateTimeout.EventTimeTimeout()

    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
      case f: FlatMapGroupsInPandasWithStateExec =>
        times =>
          f.copy(
            eventTimeWatermarkForLateEvents = NothingIsLate,
            eventTimeWatermarkForEviction = times.eviction
          )
    }
  }

  object Transform extends StateFunction {

    override val name: String = "transformWithState"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[TransformWithState]

    override def usesEventTime(operator: LogicalPlan): Boolean =
      operator.asInstanceOf[TransformWithState].timeMode == TimeMode.EventTime()

    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
      case t: TransformWithStateExec =>
        times =>
          t.copy(
            eventTimeWatermarkForLateEvents = NothingIsLate,
            eventTimeWatermarkForEviction = times.eviction
          )
    }
  }

  object TransformInPandas extends StateFunction {

    override val name: String = "transformWithStateInPandas"

    override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[TransformWithStateInPySpark]

    override def usesEventTime(operator: LogicalPlan): Boolean =
      operator.asInstanceOf[TransformWithStateInPySpark].timeMode == TimeMode.EventTime()

    override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
      case t: TransformWithStateInPySparkExec =>
        times =>
          t.copy(
            eventTimeWatermarkForLateEvents = NothingIsLate,
            eventTimeWatermarkForEviction = times.eviction
          )
    }
  }
}
