package tidegate

import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreMap
import org.apache.spark.sql.types.StructType

/** The maps of Spark's state store in memory. */
object SparkMaps {
  def create(keySchema: StructType): HDFSBackedStateStoreMap =
    HDFSBackedStateStoreMap.create(keySchema, 0, None)
}
