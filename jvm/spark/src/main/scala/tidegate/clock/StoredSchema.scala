package tidegate.clock

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.state.{
  StateSchemaCompatibilityChecker,
  StateStoreColFamilySchema,
  StateStoreId
}

/** The schema that a checkpoint has of the state of an operator of ours. */
private[tidegate] object StoredSchema {

  /**
   * None if there is no state yet.
   *
   * @param stateLocation
   *   the folder in which every operator has its state
   */
  def of(
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
}
