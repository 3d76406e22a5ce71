package tidegate.checks

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.{UnsafeRowUtils, toPrettySQL}
import org.apache.spark.sql.tidegate.{SparkInternals, TransformWithStateInPySpark}
import tidegate.errors.WatermarkErrors
import tidegate.operators.StatefulOperators
import tidegate.own.asof.StreamAsOfJoin
import tidegate.own.over.OverAggregate
import tidegate.plans.KeyedWatermark

/**
 * Refuses keys of states whose equality is not that of their bytes, by which a state compares:
 * texts with a collation, and maps as keys of `dropDuplicatesWithinWatermark`, as two maps are
 * equal if their entries are, in whatever order. Spark refuses such texts in the first batch, with
 * its own columns of the state; it refuses maps in other deduplications itself, and sorts them in
 * aggregations.
 */
object CheckKeysOfStates extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach { node =>
    for {
      operator <- StatefulOperators.of(node)
      if KeyedWatermark.isIn(node)
      key <- keysOf(node)
    } CurrentOrigin.withOrigin(key.origin) {
      if (!UnsafeRowUtils.isBinaryStable(key.dataType))
        throw WatermarkErrors.collatedKey(operator.name, nameOf(key), key.dataType)
      if (node.isInstanceOf[DeduplicateWithinWatermark] && SparkInternals.hasMap(key.dataType))
        throw WatermarkErrors.deduplicatedMap(nameOf(key), key.dataType)
    }
  }

  private def nameOf(key: Expression): String = key match {
    case column: NamedExpression => column.name
    case computed                => toPrettySQL(computed)
  }

  private def keysOf(operator: LogicalPlan): Seq[Expression] = operator match {
    case a: Aggregate                      => a.groupingExpressions
    case d: Distinct                       => d.output
    case d: Deduplicate                    => d.keys
    case d: DeduplicateWithinWatermark     => d.keys
    case f: FlatMapGroupsWithState         => f.groupingAttributes
    case f: FlatMapGroupsInPandasWithState => f.groupingAttributes
    case t: TransformWithState             => t.groupingAttributes
    case t: TransformWithStateInPySpark    => t.child.output.take(t.groupingAttributesLen)
    case j: StreamAsOfJoin                 => j.leftKeys ++ j.rightKeys
    case o: OverAggregate                  => o.partitionBy
    case _                                 => Nil
  }
}
