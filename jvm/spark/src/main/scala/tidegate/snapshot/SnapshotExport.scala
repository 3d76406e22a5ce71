package tidegate.snapshot

import java.io.FileNotFoundException

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.{CheckpointLogs, SparkInternals}
import org.apache.spark.sql.{AnalysisException, SparkSession}
import tidegate.errors.SnapshotErrors

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
  private val folder = new SnapshotFolder(path, session)

  /**
   * Stops the query as soon as it is known that its checkpoint can be exported, and exports it.
   *
   * @throws AnalysisException
   *   as `run`, and if Spark deletes the checkpoint of a query that stops
   */
  def cancelAndRun(query: StreamingQuery): SnapshotInfo = {
    if (SparkInternals.isTemporary(checkpoint))
      throw SnapshotErrors.temporary(name.getOrElse(query.id.toString))
    run(() => query.stop())
  }

  /** @throws AnalysisException if there is nothing to export, or the path cannot be filled */
  def run(): SnapshotInfo = run(() => ())

  private def run(first: () => Unit): SnapshotInfo = {
    // What is wrong with the checkpoint has to be known before the folder is made.
    val _ = new CheckpointFiles(checkpoint, session).batchId
    val exportedAtMs = System.currentTimeMillis()
    logInfo(s"Exporting the checkpoint $checkpoint to $path.")
    folder.fill {
      first()
      val (from, copied) = copy(1)
      folder.deleteAllBut(copied.map(_.path).toSet)
      val logs = new CheckpointLogs(checkpoint, session)
      val queryId = logs.queryId.getOrElse("")
      folder.write(
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
      )
    }
    val info = SnapshotInfo.of(folder)
    logInfo(s"Exported batch ${info.batchId} to $path: ${info.files} files, ${info.bytes} bytes.")
    info
  }

  /** Whether the query has committed a later batch: Spark may have removed files of this one. */
  private def isOver(from: CheckpointFiles): Boolean =
    new CheckpointLogs(checkpoint, session).lastCommitted.exists(_ > from.batchId)

  /** Begins anew, with a later batch, if the running query has removed files meanwhile. */
  @tailrec
  private def copy(attempt: Int): (CheckpointFiles, Seq[SnapshotFile]) = {
    val from = new CheckpointFiles(checkpoint, session)
    val copied =
      try {
        val files = from.all ++ sink.toSeq.flatMap(SinkLog.files(_, from.batchId, session))
        Some(new FileCopies(new Path(path), hadoopConf, progress).copy(files))
      } catch {
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
    output.filterNot(SinkLog.isIn(_, session)).foreach(o => throw SnapshotErrors.noSinkLog(o))
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
