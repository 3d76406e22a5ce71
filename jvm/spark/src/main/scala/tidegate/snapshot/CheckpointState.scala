package tidegate.snapshot

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.functions.collect_list
import org.apache.spark.sql.tidegate.{OperatorState, SparkInternals}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}
import tidegate.errors.PathErrors
import tidegate.paths.RelativePath

/**
 * The state of an operator in a checkpoint.
 *
 * @param id
 *   the number of the state, which is a folder of the checkpoint
 * @param operator
 *   Spark's name of the operator
 * @param properties
 *   what the operator has noted of itself, in JSON
 * @param schemas
 *   of each part: its name, its keys and its values
 */
private[snapshot] final case class CheckpointState(
    id: Long,
    operator: String,
    partitions: Int,
    properties: Option[String],
    schemas: Seq[(String, StructType, StructType)]
)

private[snapshot] object CheckpointState {

  /** The states after a batch, in the order of their numbers. */
  def all(location: String, batchId: Long, session: SparkSession): Seq[CheckpointState] =
    session.read
      .format("state-metadata")
      .option("batchId", batchId)
      .load(location)
      .groupBy("operatorId", "operatorName", "numPartitions", "operatorProperties")
      .agg(collect_list("stateStoreName").as("stores"))
      .orderBy("operatorId")
      .collect()
      .toSeq
      .map(of(_, location, batchId, session))

  private def of(row: Row, location: String, batchId: Long, session: SparkSession) = {
    val id = row.getLong(0)
    val stores = row.getSeq[String](4).sorted
    val outside = stores.filter(RelativePath.leaves)
    if (outside.nonEmpty) throw PathErrors.leaves(location, outside)
    val schemas = stores.flatMap { store =>
      val folder = new Path(location, "state").toString
      OperatorState
        .schemas(folder, id, store, batchId, SparkInternals.hadoopConf(session))
        .map { s =>
          val name = if (s.colFamilyName == "default") store else s.colFamilyName
          (name, s.keySchema, s.valueSchema)
        }
    }
    CheckpointState(id, row.getString(1), row.getInt(2), Option(row.getString(3)), schemas)
  }
}
