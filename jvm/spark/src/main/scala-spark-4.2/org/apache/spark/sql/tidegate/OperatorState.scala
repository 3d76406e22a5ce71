package org.apache.spark.sql.tidegate

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorPartitioning
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf

/** Where stateful operators of ours have their state. */
object OperatorState {

  /** The class name of Spark's state store in RocksDB. */
  val rocksDbProvider: String = classOf[RocksDBStateStoreProvider].getName

  /** Where the state of an operator is in the batch that is being planned. */
  def info(batch: IncrementalExecution, operatorId: Long): StatefulOperatorStateInfo =
    new StatefulOperatorStateInfo(
      batch.checkpointLocation,
      batch.runId,
      operatorId,
      batch.currentBatchId,
      batch.numStateStores,
      None,
      batch.currentStateStoreCkptId.get(operatorId)
    )

  /** The rows of each group together: within a query, where the store of their partition is. */
  def grouped(
      by: Seq[Expression],
      state: Option[StatefulOperatorStateInfo],
      conf: SQLConf
  ): Distribution =
    state.fold[Distribution](ClusteredDistribution(by))(
      StatefulOperatorPartitioning.getCompatibleDistribution(by, _, conf)
    )

  /**
   * The schema that a checkpoint has of the state of an operator; none if there is no state yet.
   *
   * @param stateLocation
   *   the folder in which every operator has its state
   */
  def storedSchema(
      stateLocation: String,
      operatorId: Long,
      hadoopConf: Configuration
  ): Option[StateStoreColFamilySchema] = {
    val store = StateStoreId(stateLocation, operatorId, 0)
    val path: Path = StateSchemaCompatibilityChecker.schemaFile(store.storeCheckpointLocation())
    val files = path.getFileSystem(hadoopConf)
    if (!files.exists(path)) None
    else StateSchemaCompatibilityChecker.readSchemaFile(files.open(path)).headOption
  }

  /**
   * Spark leaves the store that an aggregation of a task has read from to the next operator of the
   * same task that asks for one to write. To be called by an operator that wants its own.
   */
  def forgetStoreOfTask(): Unit = StateStoreThreadLocalTracker.clearStore()
}
