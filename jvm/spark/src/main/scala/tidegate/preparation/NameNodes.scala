package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.plans.{KeyedWatermark, WatermarkSpec}

/**
 * Gives every watermark node a name of its own, in plan order: `orders`, `orders-2`. Names find
 * their state again after a restart; node ids would not, as SQL and Connect copy nodes.
 */
object NameNodes {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val names = new UniqueNames
    plan.transformDown { case k: KeyedWatermark =>
      k.copy(spec = k.spec.renamed(names.next(k.spec.name)))
    }
  }

  /**
   * The watermark that a function asks for by name, of named nodes in plan order: one that was
   * given the name, before one that got it because a name was given twice.
   */
  def find(nodes: Seq[KeyedWatermark], name: String): Option[WatermarkSpec] = {
    val specs = nodes.map(_.spec)
    specs.find(_.isGiven(name)).orElse(specs.find(_.name == name))
  }
}
