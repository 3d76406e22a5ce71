package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.{RuleId, UnknownRuleId}
import org.apache.spark.sql.catalyst.trees.TreePatternBits
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.StateStoreWriter
import tidegate.clock.RunningQuery

/**
 * Tells a query which operators its very first batch has: when Spark has numbered their states, and
 * before Spark writes anything about them. The node is gone afterwards.
 */
final case class FirstBatchExec(query: RunningQuery, child: SparkPlan)
    extends UnaryExecNode
    with DescribesItself {

  override def output: Seq[Attribute] = child.output

  override def transformDownWithPruning(
      cond: TreePatternBits => Boolean,
      ruleId: RuleId = UnknownRuleId
  )(rule: PartialFunction[SparkPlan, SparkPlan]): SparkPlan = {
    val operators = child.collect { case o: StateStoreWriter =>
      o.stateInfo.map(_.operatorId -> o.shortName)
    }
    if (operators.forall(_.isDefined)) query.putStatesAside(operators.flatten.toMap)
    super.transformDownWithPruning(cond, ruleId)(rule)
  }

  override def describe: String = query.label

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): FirstBatchExec =
    copy(child = newChild)
}
