package tidegate.clock

import java.io.{FileNotFoundException, IOException}

import scala.util.Try

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

  private lazy val begun: Option[Long] = logs.lastBegun

  private lazy val committed: Option[Long] = {
    // A previous run may still continue. So no batch is taken for begun that was not committed then.
    val _ = begun
    logs.lastCommitted
  }

  /**
   * The numbers of the operators that have state, and their names. The state of a checkpoint that
   * Spark 3 made has no name: such an operator is called [[StateCheckpoint.Unnamed]].
   */
  lazy val operators: Map[Long, String] =
    committed.fold(Map.empty[Long, String]) { batch =>
      ids.flatMap(id => operatorName(id, batch).map(id -> _)).toMap
    }

  /** The numbers in the folder of the states. */
  private def ids: Seq[Long] = names(state).flatMap(_.toLongOption)

  private def names(folder: Path): Seq[String] =
    if (files.exists(folder)) files.listStatus(folder).toSeq.map(_.getPath.getName) else Nil

  /** Whether the checkpoint has no batch, or only a first one that did not come to its end. */
  lazy val isNew: Boolean = begun.isEmpty || committed.isEmpty && begun.contains(0L)

  /**
   * Puts aside what a first batch has left that failed, if its operators were others. To be called
   * when the batch begins again. It begins without state, so nothing is lost. But Spark would go on
   * with the names and the schemas of the former operators, and refuse each later start.
   *
   * The states of the same operators stay: if the sink has the batch already, no task runs again.
   *
   * @param planned
   *   the names of the operators of the query, by their numbers
   * @param areSame
   *   whether operators of the same names have the states that they have left
   * @return
   *   the folder in which the states are now; none if they have stayed
   */
  def putAside(planned: Map[Long, String])(areSame: => Boolean): Option[String] = {
    // Where a name cannot be read, the batch has failed before its tasks began.
    def isSame(id: Long) =
      Try(operatorName(id, 0)).toOption.flatten.exists(planned.get(id).contains)
    Option.when(isNew && ids.nonEmpty && !(ids.forall(isSame) && areSame)) {
      val aside = new Path(location, StateCheckpoint.Aside)
      // Of an earlier try: a query that fails again and again must not fill the disk.
      files.delete(aside, true)
      if (!files.rename(state, aside))
        throw new IOException(s"Cannot rename the folder $state to $aside.")
      aside.toString
    }
  }

  /** Some of Spark's operators write their metadata anew for each batch, in a folder. */
  private def operatorName(id: Long, batch: Long): Option[String] = {
    val folder = new Path(state, id.toString)
    val reader =
      if (files.exists(new Path(folder, "_metadata/v2")))
        new OperatorStateMetadataV2Reader(folder, hadoopConf, batch)
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

  /** The clock to which the last committed batch has come: the state was written at this time. */
  lazy val clock: Option[ClockState] = for {
    batch <- committed
    end <- ofClock(batch)
  } yield {
    val come = new SkippedBatches(location, session).after(batch, end)
    former(come.fold(end)(end.at))
  }

  /** The marks of the same. */
  def marks: Map[String, OperatorMark] =
    clock.fold(Map.empty[String, OperatorMark])(_.operators)

  /** The same checkpoint for a query in which some operators have other names. */
  def renamed(former: FormerNames): StateCheckpoint =
    new StateCheckpoint(location, session, former)

  /** Whether the query has begun. */
  def exists: Boolean = begun.isDefined

  /**
   * Where the operators keep their states, by the names that they had in the last batch that was
   * begun; empty if none was given a name.
   */
  lazy val places: Map[String, OperatorPlace] =
    begun.flatMap(ofClock).fold(Map.empty[String, OperatorPlace])(_.places)

  /** Whether Spark finds sources again by their names, and not by their places. */
  lazy val isByName: Boolean = begun.exists(logs.isByName)

  /** What the substreams of each watermark were made with in the last batch that was begun. */
  lazy val origins: Map[String, NodeOrigin] =
    begun
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
    committed.orElse(begun).exists(ofClock(_).forall(_.places.isEmpty))

  private def ofClock(batchId: Long): Option[ClockState] =
    logs
      .endOffsets(batchId)
      .flatMap(offset => ClockOffset.read(offset.json, Some(logs.file(batchId))))
      .headOption
      .map(_.state)
}

private[tidegate] object StateCheckpoint {

  /** The folder of the states that a first batch has left behind. */
  private val Aside = "state.unused"

  /** An operator of Spark's, of which the checkpoint says no more. */
  val Unnamed = "an operator of Spark's"
}
