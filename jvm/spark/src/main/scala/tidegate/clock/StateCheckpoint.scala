package tidegate.clock

import java.io.FileNotFoundException

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.{
  CommitLog,
  OffsetMap,
  OffsetSeqBase,
  OffsetSeqLog
}
import org.apache.spark.sql.execution.streaming.state.{
  OperatorStateMetadataV1Reader,
  StateStoreColFamilySchema
}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, SparkSession}

/** What a checkpoint says of the state of operators, before its query runs on it again. */
final class StateCheckpoint(location: String, session: SparkSession) {
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private val files = new Path(location).getFileSystem(hadoopConf)
  private val state = new Path(location, "state")
  private val offsets = new Path(location, "offsets")
  private val commits = new Path(location, "commits")

  private lazy val committed: Option[Long] =
    if (!files.exists(commits)) None
    else new CommitLog(session, commits.toString, readOnly = true).getLatestBatchId()

  /** The numbers of the operators that have state, and their names. */
  lazy val operators: Map[Long, String] =
    if (committed.isEmpty || !files.exists(state)) Map.empty
    else
      files
        .listStatus(state)
        .toSeq
        .flatMap(folder => folder.getPath.getName.toLongOption)
        .flatMap(id => operatorName(id).map(id -> _))
        .toMap

  private def operatorName(id: Long): Option[String] =
    try
      new OperatorStateMetadataV1Reader(new Path(state, id.toString), hadoopConf)
        .read()
        .map(_.operatorInfo.operatorName)
    catch {
      // A folder without it: the first batch did not get as far.
      case _: FileNotFoundException => None
    }

  /** The schema of the state of an operator; none if there is no state yet. */
  def stateSchema(operatorId: Long): Option[StateStoreColFamilySchema] =
    StoredSchema.of(state.toString, operatorId, hadoopConf)

  /** The marks of the clock in the last batch that was committed: those of the state. */
  lazy val marks: Map[String, OperatorMark] =
    committed
      .flatMap(new OffsetSeqLog(session, offsets.toString, readOnly = true).get(_))
      .flatMap(clockOf)
      .fold(Map.empty[String, OperatorMark])(_.operators)

  private def clockOf(entry: OffsetSeqBase): Option[ClockOffset] =
    (entry match {
      case named: OffsetMap => named.offsetsMap.values.toSeq.flatten
      case other            => other.offsets.flatten
    }).flatMap(offset => ofClock(offset.json)).headOption

  private def ofClock(json: String): Option[ClockOffset] =
    try Some(ClockOffset.parse(json))
    catch {
      // Of another source.
      case _: AnalysisException => None
    }
}
