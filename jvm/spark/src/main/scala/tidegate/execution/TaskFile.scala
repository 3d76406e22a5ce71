package tidegate.execution

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext

/**
 * A file of a task that appears when the task has ended well. Until then the rows are in a file of
 * another name, which readers of the folder do not see. A task that is run again replaces the file.
 */
private[execution] final class TaskFile(val file: Path, attempt: Long, conf: Configuration) {
  private lazy val system = file.getFileSystem(conf)

  /** Where the rows are written. A task may pass over a partition more than once. */
  val begun: Path = {
    val pass = TaskFile.passes.incrementAndGet()
    new Path(file.getParent, s".${file.getName}.$attempt.$pass")
  }

  /** Whether the file has appeared, from another pass or attempt. */
  def isThere: Boolean = system.exists(file)

  /**
   * The task has ended well.
   *
   * @param isWritten
   *   whether there are rows; if not, a file of an earlier run of the task is removed
   * @param as
   *   the file that appears
   */
  def commit(isWritten: Boolean, as: Path = file): Unit = {
    // Not every file system can rename over a file.
    if (system.exists(as)) system.delete(as, false)
    if (isWritten && !system.rename(begun, as))
      throw new IOException(s"Cannot rename the file $begun to $as.")
  }

  /** The task has failed. */
  def abort(): Unit = {
    val _ = system.delete(begun, false)
  }
}

private[execution] object TaskFile {

  /** Of this process. */
  private val passes = new AtomicLong

  /** Runs `body` when the task ends, with whether it has failed or was stopped. */
  def atEnd(task: TaskContext)(body: Boolean => Unit): Unit = {
    @volatile var isFailed = false
    task.addTaskFailureListener((_: TaskContext, _: Throwable) => isFailed = true)
    val _ = task.addTaskCompletionListener[Unit] { ended =>
      body(isFailed || ended.isInterrupted())
    }
  }
}
