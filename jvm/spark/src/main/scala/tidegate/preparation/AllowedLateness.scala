package tidegate.preparation

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.EventTimeTag
import tidegate.core.clock.{BehindTime, InputTime}
import tidegate.errors.LateRowErrors
import tidegate.operators.{AggregateOperator, LastAggregation, OneInputOperator}
import tidegate.plans.{KeyedWatermark, SessionWindows}

/**
 * Lets aggregations by windows run behind their watermark, by the lateness that the watermark
 * allows: their windows stay in the state for so long, and a row that comes meanwhile puts out its
 * window again. Only in output mode update: in append mode a window comes out once.
 */
private[preparation] final class AllowedLateness(plan: LogicalPlan, mode: OutputMode) {
  private val allowedMs = plan
    .collect { case k: KeyedWatermark => k.spec }
    .flatMap(spec => spec.allowedLatenessMs.filter(_ > 0).map(spec.name -> _))
    .toMap
  private val used = mutable.Set.empty[String]

  /** The time that an operator runs on. */
  def of(
      operator: LogicalPlan,
      kind: OneInputOperator,
      time: Attribute,
      itsMode: OutputMode,
      input: InputTime
  ): InputTime = {
    val nodes = input.nodes.filter(allowedMs.contains)
    if (
      nodes.isEmpty || kind != AggregateOperator || itsMode != OutputMode.Update() ||
      !EventTimeTag.closesWindow(time) || operator.children.exists(_.exists(isAggregate))
    ) input
    else {
      used ++= nodes
      BehindTime(input, nodes.map(allowedMs).max)
    }
  }

  /** @throws AnalysisException if no operator makes use of what a watermark allows */
  def checkUsed(): Unit = (allowedMs.keySet -- used).toSeq.sorted.headOption.foreach { name =>
    val isBelow = LastAggregation.inputs(plan, mode).exists { rows =>
      rows.exists(isAggregate) && rows.exists {
        case k: KeyedWatermark => k.spec.name == name
        case _                 => false
      }
    }
    val found =
      if (isBelow)
        "its windows stand below another aggregation, and come out once"
      else if (mode == OutputMode.Update())
        "the query has no aggregation by windows on this watermark"
      else if (hasSessions) "the query has sessions, which come out once"
      else s"the query runs in output mode ${mode.toString.toLowerCase}"
    throw LateRowErrors.latenessUnused(name, found, isOfMode = !hasSessions && !isBelow)
  }

  /** Its windows come out once, and an aggregation above cannot correct what it has of them. */
  private def isAggregate(plan: LogicalPlan): Boolean =
    plan.isStreaming && plan.isInstanceOf[Aggregate]

  private def hasSessions: Boolean = plan.exists {
    case a: Aggregate => SessionWindows.areIn(a)
    case _            => false
  }
}
