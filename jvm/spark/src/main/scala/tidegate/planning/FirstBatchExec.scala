package tidegate.planning

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.{RuleId, UnknownRuleId}
import org.apache.spark.sql.catalyst.trees.TreePatternBits
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.{SparkInternals, StateStoreWriter}
import tidegate.clock.RunningQuery
import tidegate.execution.DescribesItself
import tidegate.own.OneStoreExec

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
    val operators = child.collect { case o: StateStoreWriter => o }
    if (operators.forall(_.stateInfo.isDefined)) {
      val names = operators.map(o => o.getStateInfo.operatorId -> o.shortName).toMap
      query.putStatesAside(names) {
        val conf = SparkInternals.hadoopConf(session)
        operators.collect { case own: OneStoreExec => own }.forall(_.isAsStored(conf))
      }
    }
    super.transformDownWithPruning(cond, ruleId)(rule)
  }

  override def describe: String = query.label

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): FirstBatchExec =
    copy(child = newChild)
}
