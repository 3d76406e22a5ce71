package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.plans.KeyedWatermark

/**
 * Gives every watermark node a name of its own, in plan order: `orders`, `orders-2`. Names find
 * their state again after a restart; node ids would not, as SQL and Connect copy nodes.
 */
object NameNodes {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val names = new UniqueNames
    plan.transformDown { case k: KeyedWatermark =>
      k.copy(spec = k.spec.copy(name = names.next(k.spec.name)))
    }
  }
}
