package tidegate.snapshot

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{CheckpointLogs, SparkInternals}
import tidegate.errors.SnapshotErrors
import tidegate.paths.{FolderCall, FoldersApart}

/**
 * Makes a checkpoint of a snapshot, for a query of its own: the query has a new id, and the
 * snapshot stays as it is.
 *
 * @param checkpoint
 *   the new checkpoint
 * @param output
 *   the folder to which the sink of files of the new query writes; its log begins with what the
 *   original has written
 */
private[tidegate] final class SnapshotStart(
    snapshot: String,
    checkpoint: String,
    output: Option[String],
    session: SparkSession,
    val progress: CopyProgress = new CopyProgress
) extends Logging {
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private lazy val from = new SnapshotFolder(snapshot, session)

  /**
   * @return
   *   the id of the new query
   * @throws AnalysisException
   *   if this is no complete snapshot, if it was changed, or if there are files already
   */
  def run(): UUID = {
    val folders = Seq("snapshot" -> snapshot, "checkpoint" -> checkpoint)
    FolderCall("startSnapshot", session, folders ++ output.map("output" -> _), Some(checkpoint))
      .run(started())
  }

  private def started(): UUID = {
    val log = output.map(SinkLog.in(_).toString)
    for ((argument, target) <- Seq("checkpoint" -> checkpoint) ++ log.map("output" -> _))
      FoldersApart.check("startSnapshot", snapshot, argument, target, hadoopConf)
    val (sink, ofQuery) =
      from.checked.files.partition(_.path.startsWith(s"${SinkLog.InSnapshot}/"))
    if (sink.isEmpty && output.isDefined) throw SnapshotErrors.noSinkLog(snapshot)
    val id = UUID.randomUUID()
    new SnapshotFolder(checkpoint, session).fill {
      copy(ofQuery.filterNot(_.path == "metadata"), checkpoint, identity)
      new CheckpointLogs(checkpoint, session).writeQueryId(id)
      log.foreach { folder =>
        new SnapshotFolder(folder, session).fill {
          copy(sink, folder, _.stripPrefix(s"${SinkLog.InSnapshot}/"))
        }
      }
    }
    if (sink.nonEmpty && output.isEmpty)
      logWarning(
        s"The snapshot $snapshot has the log of a sink of files. A query on $checkpoint that " +
          "writes files needs the log in its folder: name the folder as output."
      )
    id
  }

  private def copy(files: Seq[SnapshotFile], target: String, path: String => String): Unit = {
    val wanted = files.map(f => FileToCopy(new Path(from.root, f.path), path(f.path), f.bytes))
    val copied =
      try new FileCopies(new Path(target), hadoopConf, progress).copy(wanted)
      catch {
        case _: java.io.FileNotFoundException => Nil
      }
    val same = copied.zip(files).filter { case (now, file) =>
      // The paths in such a file have changed on the way.
      SchemaPaths.areIn(file.path) || now.sha256 == file.sha256
    }
    if (same.size < files.size) {
      from.verify()
      throw SnapshotErrors.changed(snapshot, Seq("a file was changed while it was copied"))
    }
  }
}
