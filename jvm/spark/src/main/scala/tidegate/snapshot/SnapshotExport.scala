package tidegate.snapshot

import java.io.FileNotFoundException

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.{CheckpointLogs, SparkInternals}
import org.apache.spark.sql.{AnalysisException, SparkSession}
import tidegate.errors.SnapshotErrors
import tidegate.paths.{FolderCall, FoldersApart}

/**
 * Copies what a query needs to continue after its last committed batch. The query may run: Spark
 * writes each file of a checkpoint once, and a committed batch does not change.
 *
 * @param name
 *   the name of the query, if it has one
 * @param checkpoint
 *   its checkpoint
 * @param sources
 *   Spark's descriptions of the sources, by all that the offset log may call them
 * @param sink
 *   the folder to which its sink of files writes
 */
private[tidegate] final class SnapshotExport(
    name: Option[String],
    checkpoint: String,
    sources: Map[String, String],
    sink: Option[String],
    path: String,
    session: SparkSession,
    val progress: CopyProgress = new CopyProgress
) extends Logging {
  import SnapshotExport._

  private val hadoopConf = SparkInternals.hadoopConf(session)

  /** As it is now: it changes with what is written. */
  private def folder = new SnapshotFolder(path, session)

  /**
   * Exports the checkpoint while its query runs, and stops the query when the snapshot was
   * verified. Then adds what the query has done meanwhile.
   *
   * @throws AnalysisException
   *   as `run`, and then the query goes on; if Spark deletes the checkpoint of a query that stops;
   *   and if nothing could be added to the snapshot, which is good all the same
   */
  def cancelAndRun(query: StreamingQuery): SnapshotInfo = call("cancelAndExportSnapshot").run {
    if (SparkInternals.isTemporary(checkpoint))
      throw SnapshotErrors.temporary(name.getOrElse(query.id.toString))
    val first = exported(isVerified = true)
    query.stop()
    try addLater(first)
    catch {
      case NonFatal(e) =>
        throw SnapshotErrors.withoutLater(first.query, first.batchId, path, checkpoint, e)
    }
    written()
  }

  /** @throws AnalysisException if there is nothing to export, or the path cannot be filled */
  def run(): SnapshotInfo = call("exportSnapshot").run {
    val _ = exported(isVerified = false)
    written()
  }

  private def call(name: String) =
    FolderCall(name, session, Seq("checkpoint" -> checkpoint, "path" -> path), Some(path))

  private def written(): SnapshotInfo = {
    val info = SnapshotInfo.of(folder)
    logInfo(s"Exported batch ${info.batchId} to $path: ${info.files} files, ${info.bytes} bytes.")
    info
  }

  private def exported(isVerified: Boolean): Manifest = {
    for (source <- checkpoint +: sink.map(SinkLog.in(_).toString).toSeq)
      FoldersApart.check("exportSnapshot", source, "path", path, hadoopConf)
    // What is wrong with the checkpoint has to be known before the folder is made.
    val _ = new CheckpointFiles(checkpoint, session).batchId
    val exportedAtMs = System.currentTimeMillis()
    logInfo(s"Exporting the checkpoint $checkpoint to $path.")
    folder.fill {
      val (from, copied) = copy(1)
      folder.deleteAllBut(copied.map(_.path).toSet)
      folder.write(manifest(from, exportedAtMs, copied))
      if (isVerified) { val _ = folder.verify() }
    }
    folder.manifest
  }

  private def manifest(from: CheckpointFiles, exportedAtMs: Long, copied: Seq[SnapshotFile]) = {
    val logs = new CheckpointLogs(checkpoint, session)
    val queryId = logs.queryId.getOrElse("")
    Manifest(
      name.getOrElse(queryId),
      queryId,
      checkpoint,
      from.batchId,
      from.begun,
      from.batchTimeMs,
      exportedAtMs,
      sources.filter { case (name, _) => logs.offsets(from.batchId).contains(name) },
      sink.filter(_ => copied.exists(_.path.startsWith(s"${SinkLog.InSnapshot}/"))),
      copied
    )
  }

  /**
   * Adds what a query that has stopped has done since the export. The files of both moments stay:
   * Spark writes each once, so until the new manifest is there, the old one holds.
   */
  private def addLater(first: Manifest): Unit = {
    val from = new CheckpointFiles(checkpoint, session)
    if (from.batchId != first.batchId || from.begun != first.begun) {
      val known = first.files.map(_.path).toSet
      val later = wanted(from).filterNot(file => known(file.target))
      logInfo(s"Adding what the query has done since batch ${first.batchId} to $path.")
      folder.add(later.map(_.target)) {
        manifest(from, first.exportedAtMs, first.files ++ copies.copy(later))
      }
    }
  }

  private def wanted(from: CheckpointFiles): Seq[FileToCopy] =
    from.all ++ sink.toSeq.flatMap(SinkLog.files(_, from.batchId, session))

  private def copies = new FileCopies(new Path(path), hadoopConf, progress)

  /** Whether the query has committed a later batch: Spark may have removed files of this one. */
  private def isOver(from: CheckpointFiles): Boolean =
    new CheckpointLogs(checkpoint, session).lastCommitted.exists(_ > from.batchId)

  /** Begins anew, with a later batch, if the running query has removed files meanwhile. */
  @tailrec
  private def copy(attempt: Int): (CheckpointFiles, Seq[SnapshotFile]) = {
    val from = new CheckpointFiles(checkpoint, session)
    val copied =
      try Some(copies.copy(wanted(from)))
      catch {
        case e @ (_: FileNotFoundException | _: AnalysisException) if isOver(from) =>
          if (attempt == Attempts) throw SnapshotErrors.tooFast(checkpoint, Attempts)
          logInfo(s"Files are gone, so the export begins anew with a later batch: ${e.getMessage}")
          None
        case e: FileNotFoundException => throw SnapshotErrors.fileGone(checkpoint, e)
      }
    copied match {
      case Some(files) => (from, files)
      case None        => copy(attempt + 1)
    }
  }
}

private[tidegate] object SnapshotExport {
  private val Attempts = 10

  /** Of a checkpoint whose query does not run, or not here. */
  def of(
      checkpoint: String,
      path: String,
      output: Option[String],
      session: SparkSession
  ): SnapshotExport = {
    for (folder <- output)
      FolderCall.reading("exportSnapshot", session, "output" -> folder) {
        if (!SinkLog.isIn(folder, session)) throw SnapshotErrors.noSinkLog(folder)
      }
    new SnapshotExport(None, checkpoint, Map.empty, output, path, session)
  }

  /** @throws AnalysisException if the query does not run, or not in micro-batches */
  def of(query: StreamingQuery, path: String): SnapshotExport = {
    val label = Option(query.name).getOrElse(query.id.toString)
    if (!SparkInternals.isMicroBatch(query)) throw SnapshotErrors.notInBatches(label)
    val checkpoint = SparkInternals.checkpointOf(query)
    if (!query.isActive) throw SnapshotErrors.notRunning(label, checkpoint)
    new SnapshotExport(
      Option(query.name),
      checkpoint.getOrElse(throw SnapshotErrors.notInBatches(label)),
      SparkInternals.sourceDescriptions(query),
      SparkInternals.sinkFolder(query),
      path,
      SparkInternals.sessionOf(query)
    )
  }
}
