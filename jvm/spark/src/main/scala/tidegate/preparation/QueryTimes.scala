package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.WatermarkFunction
import tidegate.core.clock.{NodeSpec, OperatorSpec, QuerySpec}
import tidegate.operators.StatefulOperators
import tidegate.plans.{DropLate, FrameDecisions, KeyedWatermark}

/** Extracts from the plan of a query what its clock needs to know. */
private[preparation] object QueryTimes {

  /** Expects a plan in which names and emissions are final, and late rows are dropped. */
  def of(plan: LogicalPlan, frames: FrameDecisions): QuerySpec = QuerySpec(
    plan.collect { case k: KeyedWatermark => node(k) },
    plan.collect { case d: DropLate =>
      OperatorSpec(d.operator, d.key, d.input, d.eviction, frames.windows.get(d.operator))
    },
    plan
      .flatMap(_.expressions.flatMap(_.collect { case f: WatermarkFunction => f.source.input }))
      .flatten
      .distinct
  )

  private def node(k: KeyedWatermark): NodeSpec = NodeSpec(
    k.spec.name,
    k.spec.key,
    k.spec.policy,
    k.spec.emission.get,
    k.spec.idleTimeoutMs,
    k.spec.flush,
    isOverState = StatefulOperators.existIn(k.left)
  )
}
