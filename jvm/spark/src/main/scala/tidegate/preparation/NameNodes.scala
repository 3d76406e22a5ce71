package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.plans.{KeyedWatermark, WatermarkSpec}
import tidegate.settings.Settings

/**
 * Gives every watermark node a name of its own, in plan order: `orders`, `orders-2`. A restarted
 * query finds the state of a watermark by its name. Node ids would not do, because SQL and Spark
 * Connect copy nodes.
 *
 * If the slowest watermark of the query decides what is late, each node gets to know all names.
 */
object NameNodes {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val names = new UniqueNames
    val named = plan.transformDown { case k: KeyedWatermark =>
      k.copy(spec = k.spec.renamed(names.next(k.spec.name)))
    }
    if (Settings.SlowestDecides.in(plan.conf)) withSlowest(named) else named
  }

  private def withSlowest(plan: LogicalPlan): LogicalPlan = {
    val all = plan.collect { case k: KeyedWatermark => k.spec.name }
    plan.transform { case k: KeyedWatermark => k.copy(spec = k.spec.copy(slowestOf = Some(all))) }
  }

  /**
   * Finds the watermark that a function asks for by name, among named nodes in plan order. A node
   * that was given the name comes before a node that was renamed to it because its own name was
   * taken.
   */
  def find(nodes: Seq[KeyedWatermark], name: String): Option[WatermarkSpec] = {
    val specs = nodes.map(_.spec)
    specs.find(_.isGiven(name)).orElse(specs.find(_.name == name))
  }
}
