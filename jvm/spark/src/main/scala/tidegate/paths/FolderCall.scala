package tidegate.paths

import java.io.{IOException, UncheckedIOException}

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSError, Path}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.{FileReason, PathErrors}

/**
 * A call with folders that a user has named. What a file system says against them, before or during
 * the call, becomes one sentence: with the call, the folder, the reason, and what was left behind.
 *
 * @param call
 *   its name, as users know it
 * @param folders
 *   the names of the arguments, and what was given
 * @param target
 *   the folder that is filled; none if the call writes nothing
 */
private[tidegate] final case class FolderCall(
    call: String,
    session: SparkSession,
    folders: Seq[(String, String)],
    target: Option[String] = None
) {
  private val conf = SparkInternals.hadoopConf(session)

  def run[T](body: => T): T =
    running(target.fold("Nothing was written.")(t => LeftBehind.in(new Path(t), conf)))(body)

  /**
   * @param left
   *   what was left behind, as a sentence
   * @throws AnalysisException
   *   as `body`, and if a file system refuses something
   */
  def running[T](left: => String)(body: => T): T = {
    folders.foreach { case (argument, found) => reach(argument, found) }
    try body
    catch {
      case NonFatal(e) if FolderCall.isOfFiles(e) =>
        throw PathErrors.failed(call, folders.map(_._2), left, e)
    }
  }

  /** Where the file system does not answer at all, the argument is to blame. */
  private def reach(argument: String, found: String): Unit =
    if (found.isBlank) throw PathErrors.unusable(call, argument, found, "the path is empty")
    else
      try {
        val folder = new Path(found)
        val _ = folder.getFileSystem(conf).exists(folder)
      } catch {
        case NonFatal(e) =>
          throw PathErrors.unusable(call, argument, found, FileReason.of(e), Some(e))
      }
}

private[tidegate] object FolderCall {

  /** Of a call that writes nothing. */
  def reading[T](call: String, session: SparkSession, folders: (String, String)*)(body: => T): T =
    FolderCall(call, session, folders).run(body)

  /** Of a task that writes: the next run of the task replaces what it has written. */
  def inTask[T](what: String, folder: String)(body: => T): T =
    try body
    catch {
      case NonFatal(e) if isOfFiles(e) =>
        val left =
          "The batch has failed, and what it has written there is replaced when it runs again."
        throw PathErrors.failed(what, Seq(folder), left, e)
    }

  /** Whether this is the trace of a file system, and no sentence yet. */
  def isOfFiles(failure: Throwable): Boolean = failure match {
    case e: SparkThrowable if e.getCondition != null => false
    case e                                           =>
      Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(MostCauses).exists {
        case _: IOException | _: UncheckedIOException | _: FSError | _: SecurityException => true
        case _                                                                            => false
      }
  }

  private val MostCauses = 20
}

/** What a call that has failed has left in the folder that it was to fill, as a sentence. */
private[tidegate] object LeftBehind {

  def in(folder: Path, conf: Configuration): String =
    try {
      val files = folder.getFileSystem(conf)
      if (files.exists(folder) && files.listStatus(folder).nonEmpty)
        s"Files were left in $folder: delete that folder."
      else s"Nothing was left in $folder."
    } catch { case NonFatal(_) => s"Whether files were left in $folder is not known." }
}
