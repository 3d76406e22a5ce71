package tidegate.execution.frames

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.tidegate.{OperatorState, StatefulOperatorStateInfo}
import org.apache.spark.sql.types.{ArrayType, StructType}

/** The schema that a checkpoint has of the state of frames. */
private[frames] object FrameStateSchema {

  /** What fills the buffers of its entries; none if there is no state yet. */
  def buffers(info: StatefulOperatorStateInfo, hadoopConf: Configuration): Option[Seq[String]] =
    OperatorState
      .storedSchema(info.checkpointLocation, info.operatorId, hadoopConf)
      .map(_.valueSchema("frames").dataType)
      .collect { case ArrayType(entry: StructType, _) => functions(entry) }

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
