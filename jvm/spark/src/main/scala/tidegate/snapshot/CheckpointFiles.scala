package tidegate.snapshot

import java.io.FileNotFoundException

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{CheckpointLogs, SparkInternals, StateFiles}
import org.json4s.JsonAST.{JInt, JObject}
import org.json4s.jackson.JsonMethods.parseOpt
import tidegate.clock.{ClockOffset, SkippedBatches}
import tidegate.errors.{PathErrors, SnapshotErrors}
import tidegate.paths.RelativePath

/**
 * A file to copy.
 *
 * @param target
 *   relative to the snapshot
 * @param bytes
 *   how long the file is
 * @param isReplaced
 *   whether the running query replaces the file, with one that says the same and more
 */
private[snapshot] final case class FileToCopy(
    from: Path,
    target: String,
    bytes: Long,
    isReplaced: Boolean = false
)

/**
 * What of a checkpoint a query needs to continue after its last committed batch. A later batch that
 * was begun is there with its offsets: the query runs the batch again, as after any stop.
 */
private[snapshot] final class CheckpointFiles(location: String, session: SparkSession) {
  import CheckpointFiles._

  private val root = new Path(location)
  private val files: FileSystem = root.getFileSystem(SparkInternals.hadoopConf(session))
  private val logs = new CheckpointLogs(location, session)

  /** The last committed batch. */
  val batchId: Long = {
    if (!Seq("metadata", "offsets").exists(name => files.exists(new Path(root, name))))
      throw SnapshotErrors.noCheckpoint(location)
    logs.lastCommitted.getOrElse(throw SnapshotErrors.nothingCommitted(location))
  }

  /** The batch after the last committed one, if the batch was begun. */
  val begun: Option[Long] = logs.lastBegun.filter(_ > batchId)

  /** The wall clock when the last committed batch began, in epoch ms. */
  val batchTimeMs: Long = logs.timestampMs(batchId)

  /** @throws FileNotFoundException if the running query has removed a file meanwhile */
  def all: Seq[FileToCopy] = described ++ state(stores).map(toCopy)

  /** All files but the states themselves: what the planning of a query reads. */
  def described: Seq[FileToCopy] = {
    logs.stateStoreProvider(batchId).filterNot(Known).foreach { provider =>
      throw SnapshotErrors.unknownStateStore(location, provider)
    }
    val metadata = Seq(new Path(root, "metadata")).map(files.getFileStatus)
    val times = list(root).filter(f => SkippedBatches.Files.contains(f.getPath.getName))
    val logged = log("offsets", begun.getOrElse(batchId)) ++ log("commits", batchId)
    (metadata ++ logged ++ sources ++ state(descriptions)).map(toCopy) ++
      times.map(toCopy(_).copy(isReplaced = true))
  }

  private def toCopy(file: FileStatus): FileToCopy =
    FileToCopy(file.getPath, inside(relative(file.getPath)), file.getLen)

  private def inside(path: String): String =
    if (RelativePath.leaves(path)) throw PathErrors.leaves(location, Seq(path)) else path

  private def relative(path: Path): String =
    files.makeQualified(root).toUri.relativize(path.toUri).getPath

  /**
   * Restarted queries look at the last batch of a log, and at the one before. With asynchronous
   * progress a log does not have all batches.
   */
  private def log(name: String, last: Long): Seq[FileStatus] = {
    val batches = for {
      file <- list(new Path(root, name))
      id <- file.getPath.getName.toLongOption
      if file.isFile && id <= last
    } yield id -> file
    if (!batches.exists(_._1 == batchId))
      throw new FileNotFoundException(s"$name has no batch $batchId any more")
    val (later, earlier) = batches.sortBy(_._1).partition(_._1 > batchId)
    (earlier.takeRight(2) ++ later).map(_._2)
  }

  private def list(folder: Path): Seq[FileStatus] =
    // What begins with a dot is being written, or is a checksum of the file system.
    if (!files.exists(folder)) Nil
    else files.listStatus(folder).toSeq.filterNot(_.getPath.getName.startsWith("."))

  private def below(folder: FileStatus): Seq[FileStatus] =
    if (folder.isFile) Seq(folder) else list(folder.getPath).flatMap(below)

  /**
   * The logs of the sources. If all sources are files, their logs are cut: they may be ahead of the
   * offsets, because a source has already looked for the next batch.
   */
  private def sources: Seq[FileStatus] = {
    val offsets = logs.endOffsets(begun.getOrElse(batchId)).map(_.json)
    val read = offsets.filter(ClockOffset.read(_, None).isEmpty).map(parseOpt(_)).map {
      case Some(JObject(List(("logOffset", JInt(n))))) => Some(n.toLong)
      case _                                           => None
    }
    val last = if (read.forall(_.isDefined)) read.flatten.maxOption else None
    list(new Path(root, "sources")).flatMap(below).filterNot { file =>
      val number = file.getPath.getName.stripSuffix(".compact").toLongOption
      number.exists(n => last.exists(_ < n))
    }
  }

  /** Files of the states, by what is wanted of each folder with stores. */
  private def state(wanted: FileStatus => Seq[FileStatus]): Seq[FileStatus] =
    list(new Path(root, "state")).flatMap(operator => list(operator.getPath)).flatMap(wanted)

  /** A partition has a store, or several, each in a folder. */
  private def descriptions(part: FileStatus): Seq[FileStatus] =
    if (part.isFile || isDescription(part)) below(part)
    else folders(part).flatMap(descriptions)

  private def stores(part: FileStatus): Seq[FileStatus] =
    if (part.isFile || isDescription(part)) Nil
    else store(part.getPath, list(part.getPath)) ++ folders(part).flatMap(stores)

  private def folders(part: FileStatus): Seq[FileStatus] =
    list(part.getPath).filter(f => f.isDirectory && !FoldersOfStore(f.getPath.getName))

  private def isDescription(folder: FileStatus): Boolean = folder.getPath.getName.startsWith("_")

  private def store(folder: Path, inside: Seq[FileStatus]): Seq[FileStatus] = {
    val byName = inside.filter(_.isFile).map(f => f.getPath.getName -> f).toMap
    val versions = byName.keys.flatMap(StoreFile.of).toSeq
    if (versions.isEmpty) Nil
    else {
      val version = batchId + 1
      val found =
        if (versions.forall(_.id.isEmpty)) StoreFiles.of(versions, version)
        else StoreFiles.of(versions, version, stateIds, lineage(folder, _))
      val needed = found.getOrElse(throw SnapshotErrors.stateIncomplete(relative(folder), version))
      needed.flatMap { file =>
        // Spark's checksum of the file, if there is one.
        Seq(file.name, s"${file.name}.crc").flatMap(byName.get) ++ listed(folder, file)
      }
    }
  }

  private lazy val stateIds: Set[String] = logs.stateIds(batchId)

  private def lineage(folder: Path, file: StoreFile): Seq[(Long, String)] =
    StateFiles.lineage(session, new Path(folder, file.name))

  private def listed(folder: Path, file: StoreFile): Seq[FileStatus] =
    if (!file.isList) Nil
    else
      StateFiles
        .listedIn(files, new Path(folder, file.name))
        .map(name => files.getFileStatus(new Path(folder, inside(name))))
}

private[snapshot] object CheckpointFiles {

  /** The state stores whose files we know. */
  private val Known = Set("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")
    .map("org.apache.spark.sql.execution.streaming.state." + _)

  /** Folders of a store in RocksDB whose files are shared by versions. */
  private val FoldersOfStore = Set("SSTs", "logs")
}
