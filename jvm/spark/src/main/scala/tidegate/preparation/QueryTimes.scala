package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.ClockTable
import tidegate.columns.WatermarkFunction
import tidegate.core.clock.{NodeSpec, OperatorPlace, OperatorSpec, QuerySpec}
import tidegate.operators.StatefulOperators
import tidegate.plans.{DropLate, KeyedWatermark, OwnDecisions}

/** Extracts from the plan of a query what its clock needs to know. */
private[preparation] object QueryTimes {

  /** Expects a plan in which names and emissions are final, and late rows are dropped. */
  def of(
      plan: LogicalPlan,
      own: OwnDecisions,
      places: Map[String, OperatorPlace]
  ): QuerySpec = QuerySpec(
    nodes(plan),
    plan.collect { case d: DropLate =>
      OperatorSpec(
        d.operator,
        d.key,
        d.input,
        d.eviction,
        own.states.get(d.operator).flatMap(_.windows),
        own.states.get(d.operator).flatMap(_.gapMicros)
      )
    },
    plan
      .flatMap(_.expressions.flatMap(_.collect { case f: WatermarkFunction => f.source.input }))
      .flatten
      .distinct,
    places
  )

  /** The watermark nodes of a plan, in its order. */
  def nodes(plan: LogicalPlan): Seq[NodeSpec] = {
    val sources = sourcesIn(plan).map(_.canonicalized).distinct
    plan.collect { case k: KeyedWatermark => node(k, sources) }
  }

  /** In the order in which Spark's checkpoint has them. */
  private def sourcesIn(plan: LogicalPlan): Seq[LogicalPlan] =
    plan.collectLeaves().filter(isSource)

  /** Whether a leaf is a source of rows. */
  def isSource(leaf: LogicalPlan): Boolean =
    // A node without the clock has an empty relation in its place.
    leaf.isStreaming && leaf.output.nonEmpty && !ClockTable.isRelation(leaf)

  private def node(k: KeyedWatermark, sources: Seq[LogicalPlan]): NodeSpec = NodeSpec(
    k.spec.name,
    k.spec.key,
    k.spec.policy,
    k.spec.emission.get,
    k.spec.idleTimeoutMs,
    k.spec.flush,
    isOverState = StatefulOperators.existIn(k.left),
    columns = k.substream.map(a => s"${a.name} ${a.dataType.sql}"),
    sources = sourcesIn(k.left).map(s => sources.indexOf(s.canonicalized)).distinct,
    idleBehindMs = k.spec.idleBehindMs
  )
}
