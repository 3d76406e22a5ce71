package tidegate.execution.frames

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.tidegate.{OperatorState, StatefulOperatorStateInfo}
import org.apache.spark.sql.types.{ArrayType, StructType}
import tidegate.plans.FrameAggregate

/** The schema of the state of frames in a checkpoint. */
private[frames] object FrameStateSchema {

  /** The functions that fill the buffers of the entries; none if there is no state yet. */
  def buffers(info: StatefulOperatorStateInfo, hadoopConf: Configuration): Option[Seq[String]] =
    OperatorState
      .storedSchema(info.checkpointLocation, info.operatorId, hadoopConf)
      .map(_.valueSchema)
      .map(value => value(if (FrameAggregate.hasShortRows(value)) "more" else "frames").dataType)
      .collect { case ArrayType(entry: StructType, _) => functions(entry) }

  /**
   * The functions of the buffers in an entry, without their arguments: like Spark, we let a query
   * continue that computes an argument in another way.
   */
  def functions(entry: StructType): Seq[String] =
    entry.fieldNames.toSeq.tail.map { name =>
      // Equal names have a number at their end.
      val plain = name.replaceFirst(" \\d+$", "")
      plain.takeWhile(_ != '(') + plain.drop(plain.lastIndexOf(')') + 1)
    }
}
