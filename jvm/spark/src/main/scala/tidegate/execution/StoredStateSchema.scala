package tidegate.execution

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.execution.streaming.state.{
  StateSchemaCompatibilityChecker,
  StateStoreColFamilySchema,
  StateStoreId
}

/** The schema that a checkpoint has of the state of an operator of ours. */
private[execution] object StoredStateSchema {

  /** None if there is no state yet. */
  def of(
      info: StatefulOperatorStateInfo,
      hadoopConf: Configuration
  ): Option[StateStoreColFamilySchema] = {
    val store = StateStoreId(info.checkpointLocation, info.operatorId, 0)
    val path: Path = StateSchemaCompatibilityChecker.schemaFile(store.storeCheckpointLocation())
    val files = path.getFileSystem(hadoopConf)
    if (!files.exists(path)) None
    else StateSchemaCompatibilityChecker.readSchemaFile(files.open(path)).headOption
  }
}
