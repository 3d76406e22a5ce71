package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.plans.{KeyedWatermark, WatermarkSpec}

/**
 * Gives every watermark node a name of its own, in plan order: `orders`, `orders-2`. A restarted
 * query finds the state of a watermark by its name. Node ids would not do, because SQL and Spark
 * Connect copy nodes.
 */
object NameNodes {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val names = new UniqueNames
    plan.transformDown { case k: KeyedWatermark =>
      k.copy(spec = k.spec.renamed(names.next(k.spec.name)))
    }
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
