package tidegate.clock

import java.io.FileNotFoundException

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.state.{
  OperatorStateMetadataV1Reader,
  OperatorStateMetadataV2Reader,
  StateStoreColFamilySchema
}
import org.apache.spark.sql.tidegate.{CheckpointLogs, OperatorState, SparkInternals}
import tidegate.core.clock.{ClockState, FormerNames, NodeOrigin, OperatorMark, OperatorPlace}
import tidegate.plans.DropLate

/**
 * What a checkpoint says about the state of operators, before the query continues from it.
 *
 * @param former
 *   what the checkpoint calls the operators
 */
final class StateCheckpoint(
    location: String,
    session: SparkSession,
    former: FormerNames = FormerNames.none
) {
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private val files = new Path(location).getFileSystem(hadoopConf)
  private val state = new Path(location, "state")
  private val logs = new CheckpointLogs(location, session)

  private lazy val committed: Option[Long] = logs.lastCommitted

  /**
   * The numbers of the operators that have state, and their names. The state of a checkpoint that
   * Spark 3 made has no name: such an operator is called [[StateCheckpoint.Unnamed]].
   */
  lazy val operators: Map[Long, String] =
    if (committed.isEmpty) Map.empty
    else folders.flatMap(id => operatorName(id).map(id -> _)).toMap

  /** The numbers in the folder of the states. */
  private def folders: Seq[Long] = names(state).flatMap(_.toLongOption)

  private def names(folder: Path): Seq[String] =
    if (files.exists(folder)) files.listStatus(folder).toSeq.map(_.getPath.getName) else Nil

  /**
   * Puts the states of other operators aside that are of a first batch which failed, if the batch
   * is to be tried again: the query was changed before that, and now has other operators. Spark
   * would refuse each later start. The first batch begins without state, so nothing is lost.
   * Nothing is done while the query runs in this application.
   *
   * @param planned
   *   the numbers of the operators of the query
   * @return
   *   the numbers of the operators whose states were put aside
   */
  def putAside(planned: Set[Long]): Seq[Long] = {
    // Not as it was when the start began: a run that goes on may have committed since.
    val isFirst = logs.lastCommitted.isEmpty && logs.lastBegun.forall(_ == 0) &&
      SparkInternals.queryOn(session, location).isEmpty
    val others = if (isFirst) folders.filterNot(planned).sorted else Nil
    val aside = new Path(location, StateCheckpoint.Aside)
    if (others.nonEmpty) files.mkdirs(aside): Unit
    others.filter { id =>
      files.rename(new Path(state, id.toString), new Path(aside, s"$id.${System.nanoTime}"))
    }
  }

  /** Some of Spark's operators write their metadata anew for each batch, in a folder. */
  private def operatorName(id: Long): Option[String] = {
    val folder = new Path(state, id.toString)
    val reader =
      if (files.exists(new Path(folder, "_metadata/v2")))
        new OperatorStateMetadataV2Reader(folder, hadoopConf, committed.get)
      else new OperatorStateMetadataV1Reader(folder, hadoopConf)
    try reader.read().map(_.operatorInfo.operatorName)
    catch {
      // Spark 3 wrote no metadata. Where there are no partitions either, no batch got that far.
      case _: FileNotFoundException =>
        val isOfSpark = id < DropLate.FirstStateId && names(folder).exists(_.toIntOption.isDefined)
        Option.when(isOfSpark)(StateCheckpoint.Unnamed)
    }
  }

  /** The schema of the state of an operator; none if there is no state yet. */
  def stateSchema(operatorId: Long): Option[StateStoreColFamilySchema] =
    committed.flatMap(_ => OperatorState.storedSchema(state.toString, operatorId, hadoopConf))

  /** The clock at the end of the last committed batch: the state was written at this time. */
  lazy val clock: Option[ClockState] = committed.flatMap(ofClock).map(former(_))

  /** The marks of the same. */
  def marks: Map[String, OperatorMark] =
    clock.fold(Map.empty[String, OperatorMark])(_.operators)

  /** The same checkpoint for a query in which some operators have other names. */
  def renamed(former: FormerNames): StateCheckpoint =
    new StateCheckpoint(location, session, former)

  /** Whether the query has begun. */
  def exists: Boolean = logs.lastBegun.isDefined

  /**
   * Where the operators keep their states, by the names that they had in the last batch that was
   * begun; empty if none was given a name.
   */
  lazy val places: Map[String, OperatorPlace] =
    logs.lastBegun.flatMap(ofClock).fold(Map.empty[String, OperatorPlace])(_.places)

  /** Whether Spark finds sources again by their names, and not by their places. */
  lazy val isByName: Boolean = logs.lastBegun.exists(logs.isByName)

  /** What the substreams of each watermark were made with in the last batch that was begun. */
  lazy val origins: Map[String, NodeOrigin] =
    logs.lastBegun
      .flatMap(ofClock)
      .toSeq
      .flatMap(_.substreams)
      .flatMap { case (name, state) =>
        state.origin.map(name -> _)
      }
      .toMap

  /**
   * Whether Spark has numbered the states in the order of the plan, because none of the operators
   * had a name.
   */
  def isNumberedBySpark: Boolean =
    committed.orElse(logs.lastBegun).exists(ofClock(_).forall(_.places.isEmpty))

  private def ofClock(batchId: Long): Option[ClockState] =
    logs
      .endOffsets(batchId)
      .flatMap(offset => ClockOffset.read(offset.json, Some(logs.file(batchId))))
      .headOption
      .map(_.state)
}

private[tidegate] object StateCheckpoint {

  /** The folder of states that no operator uses. */
  private val Aside = "state.unused"

  /** An operator of Spark's, of which the checkpoint says no more. */
  val Unnamed = "an operator of Spark's"
}
