package tidegate.execution.frames

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.execution.streaming.state.{
  StateSchemaCompatibilityChecker,
  StateStoreId
}
import org.apache.spark.sql.types.{ArrayType, StructType}

/** The schema that a checkpoint has of the state of an operator. */
private[frames] object FrameStateSchema {

  /** What fills the buffers of its entries; none if there is no state yet. */
  def buffers(info: StatefulOperatorStateInfo, hadoopConf: Configuration): Option[Seq[String]] = {
    val store = StateStoreId(info.checkpointLocation, info.operatorId, 0)
    val path: Path = StateSchemaCompatibilityChecker.schemaFile(store.storeCheckpointLocation())
    val files = path.getFileSystem(hadoopConf)
    if (!files.exists(path)) None
    else
      StateSchemaCompatibilityChecker
        .readSchemaFile(files.open(path))
        .headOption
        .map(_.valueSchema("frames").dataType)
        .collect { case ArrayType(entry: StructType, _) => functions(entry) }
  }

  /**
   * The functions of the buffers in an entry, without their arguments: like Spark, we let a query
   * go on that computes an argument in another way.
   */
  def functions(entry: StructType): Seq[String] =
    entry.fieldNames.toSeq.tail.map { name =>
      // A number tells equal names apart.
      val plain = name.replaceFirst(" \\d+$", "")
      plain.takeWhile(_ != '(') + plain.drop(plain.lastIndexOf(')') + 1)
    }
}
