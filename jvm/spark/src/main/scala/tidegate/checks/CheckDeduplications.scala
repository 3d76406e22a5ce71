package tidegate.checks

import org.apache.spark.sql.catalyst.plans.logical.{DeduplicateWithinWatermark, LogicalPlan}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.WatermarkErrors
import tidegate.plans.KeyedWatermark

/**
 * Refuses maps as keys of `dropDuplicatesWithinWatermark`, whose state compares bytes: two maps are
 * equal if their entries are, in whatever order. Spark refuses maps in other deduplications itself,
 * and sorts them in aggregations.
 */
object CheckDeduplications extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case d: DeduplicateWithinWatermark if d.child.exists(_.isInstanceOf[KeyedWatermark]) =>
      d.keys.find(key => SparkInternals.hasMap(key.dataType)).foreach { key =>
        throw WatermarkErrors.deduplicatedMap(key.name, key.dataType)
      }
    case _ => ()
  }
}
