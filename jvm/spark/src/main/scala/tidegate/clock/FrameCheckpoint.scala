package tidegate.clock

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.{
  OffsetMap,
  OffsetSeqBase,
  OffsetSeqLog
}
import org.apache.spark.sql.execution.streaming.state.{
  OperatorStateMetadataV1Reader,
  StateSchemaCompatibilityChecker
}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.{ArrayType, StructType}

/** What a checkpoint says of the state of operators, before its query runs on it again. */
final class FrameCheckpoint(location: String, session: SparkSession) {
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private val files = new Path(location).getFileSystem(hadoopConf)
  private val state = new Path(location, "state")

  /** The numbers of the operators that have state, and their names. */
  lazy val operators: Map[Long, String] =
    if (!files.exists(state)) Map.empty
    else
      files
        .listStatus(state)
        .toSeq
        .flatMap(folder => folder.getPath.getName.toLongOption)
        .flatMap { id =>
          // A folder without it: the first batch did not get as far.
          Try(new OperatorStateMetadataV1Reader(new Path(state, id.toString), hadoopConf).read())
            .toOption
            .flatten
            .map(m => id -> m.operatorInfo.operatorName)
        }
        .toMap

  /** The last marks of the clock. */
  lazy val marks: Map[String, OperatorMark] = {
    val offsets = new Path(location, "offsets")
    val last =
      if (!files.exists(offsets)) None
      else new OffsetSeqLog(session, offsets.toString, readOnly = true).getLatest().map(_._2)
    last.flatMap(clockOf).fold(Map.empty[String, OperatorMark])(_.operators)
  }

  private def clockOf(entry: OffsetSeqBase): Option[ClockOffset] =
    (entry match {
      case named: OffsetMap => named.offsetsMap.values.toSeq.flatten
      case other            => other.offsets.flatten
    }).flatMap(offset => Try(ClockOffset.parse(offset.json)).toOption).headOption

  /** The names of the buffers in the frames of an operator, as the state has them. */
  def buffers(operatorId: Long): Option[Seq[String]] = {
    val schema = new Path(new Path(state, s"$operatorId/0"), "_metadata/schema")
    if (!files.exists(schema)) None
    else
      StateSchemaCompatibilityChecker
        .readSchemaFile(files.open(schema))
        .headOption
        .map(_.valueSchema("frames").dataType)
        .collect { case ArrayType(entry: StructType, _) => entry.fieldNames.toSeq }
  }
}
