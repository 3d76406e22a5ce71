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

  /** The numbers of the operators that have state, and their names. */
  lazy val operators: Map[Long, String] = {
    // Not with a store that names its files in another way.
    val isKnown = committed.exists(_ > 0) && found.keys.exists(newestVersion(_) > 1)
    if (isKnown) found.filter { case (id, _) => newestVersion(id) > 1 } else found
  }

  /** The same, with those that no batch after the first one has written. */
  private lazy val found: Map[Long, String] =
    if (committed.isEmpty || !files.exists(state)) Map.empty
    else
      files
        .listStatus(state)
        .toSeq
        .flatMap(folder => folder.getPath.getName.toLongOption)
        .flatMap(id => operatorName(id).map(id -> _))
        .toMap

  /** The newest version of the state of an operator; 0 if there is none. */
  private def newestVersion(id: Long): Long = {
    def versions(folder: Path): Seq[Long] = files.listStatus(folder).toSeq.flatMap { entry =>
      entry.getPath.getName match {
        case StateCheckpoint.OfRocksDb()     => None
        case StateCheckpoint.Version(number) => number.toLongOption
        // A join of Spark's has a folder for each of its stores.
        case _ => if (entry.isDirectory) versions(entry.getPath) else None
      }
    }
    val partition = new Path(new Path(state, id.toString), "0")
    if (files.exists(partition)) versions(partition).maxOption.getOrElse(0L) else 0L
  }

  /**
   * Puts the states of other operators aside that are of a first batch which failed: the query was
   * changed before that batch was tried again, and now has other operators. Spark would refuse each
   * later start. Nothing is done if the query lacks a state itself.
   *
   * @param planned
   *   the numbers of the operators of the query
   * @param isExchanged
   *   whether the second operator may take the place of the first one, by the names of their states
   * @return
   *   the numbers and names of the operators whose states were put aside
   */
  def putAside(
      planned: Set[Long],
      isExchanged: (String, String) => Boolean
  ): Map[Long, String] = {
    val (ofQuery, others) = found.partition { case (id, _) => planned(id) }
    def isLeftBehind(id: Long, kind: String) =
      newestVersion(id) <= 1 && ofQuery.exists { case (own, now) =>
        isExchanged(kind, now) && newestVersion(own) > 0
      }
    val isSure = ofQuery.size == planned.size && others.forall((isLeftBehind _).tupled)
    if (others.isEmpty || !isSure) Map.empty
    else {
      val aside = new Path(location, StateCheckpoint.Aside)
      files.mkdirs(aside)
      others.filter { case (id, _) =>
        files.rename(new Path(state, id.toString), new Path(aside, s"$id.${System.nanoTime}"))
      }
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
      // A folder without metadata: the first batch did not get that far.
      case _: FileNotFoundException => None
    }
  }

  /** The schema of the state of an operator; none if there is no state yet. */
  def stateSchema(operatorId: Long): Option[StateStoreColFamilySchema] =
    OperatorState.storedSchema(state.toString, operatorId, hadoopConf)

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

  /** Folders with the parts of versions. */
  private val OfRocksDb = "SSTs|logs".r

  /**
   * A file with a version of a store; its name may have the id of a checkpoint after the number.
   */
  private val Version = raw"(\d+)(?:_.*)?\.(?:delta|snapshot|changelog|zip)".r
}
