package tidegate.planning

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.streaming.state.StateSchemaValidationResult
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.{StateStoreWriter, StatefulOperator, StatefulOperatorStateInfo}
import tidegate.clock.RunningQuery
import tidegate.execution.DescribesItself
import tidegate.own.OwnOperatorExec

/**
 * Tells a query which operators its very first batch has. Spark asks each stateful operator, from
 * the top of the plan, to check the schema of its state: when the states are numbered, and before
 * anything is written about them. This node stands above all others, and does it then.
 */
final case class FirstBatchExec(query: RunningQuery, child: SparkPlan)
    extends UnaryExecNode
    with StatefulOperator
    with DescribesItself {

  override def output: Seq[Attribute] = child.output

  /** It has no state of its own. */
  override def stateInfo: Option[StatefulOperatorStateInfo] = None

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    val operators = child.collect { case o: StateStoreWriter => o }
    query.beginning.putStatesAside(
      operators.map(o => o.getStateInfo.operatorId -> o.shortName).toMap
    ) {
      operators.collect { case own: OwnOperatorExec => own }.forall(_.isAsStored(hadoopConf))
    }
    Nil
  }

  override def describe: String = query.name

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): FirstBatchExec =
    copy(child = newChild)
}
