package org.apache.spark.sql.tidegate

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{StateSchemaValidationResult, StateStore}
import org.apache.spark.util.CollectionAccumulator

/**
 * The figures of a stateful operator, as its tasks need them: without the operator, whose plan
 * would go to each task.
 */
final case class OperatorFigures()(@transient protected val operator: StateStoreWriter)
    extends LeafExecNode
    with FiguresOfStores {

  override lazy val metrics: Map[String, SQLMetric] = operator.metrics

  override val checkpointInfoAccumulator
      : CollectionAccumulator[StatefulOpStateStoreCheckpointInfo] =
    operator.checkpointInfoAccumulator

  override def output: Seq[Attribute] = Nil

  override def stateInfo: Option[StatefulOperatorStateInfo] = None

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = Nil

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("These are figures, not an operator.")

  /** A figure by its name. */
  def figure(name: String): SQLMetric = longMetric(name)

  /** Adds what a store says after its commit. */
  def add(store: StateStore): Unit = {
    setStoreMetrics(store)
    setOperatorMetrics()
  }
}

object OperatorFigures {

  /** Made by the driver. */
  def of(operator: StateStoreWriter): OperatorFigures = {
    val figures = OperatorFigures()(operator)
    // Tasks cannot make them.
    figures.metrics
    figures.ofStores()
    figures
  }
}
