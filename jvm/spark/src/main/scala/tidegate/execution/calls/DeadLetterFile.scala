package tidegate.execution.calls

import java.io.Writer
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import tidegate.execution.TaskFile

/**
 * The dead letters of a task: a file with a line for each, named after the batch and the partition.
 *
 * The lines are written under another name, and the file gets its name when the task has ended
 * well. A task that is run again replaces the file; without dead letters it removes the file.
 *
 * @param batch
 *   the number of the batch; negative in a query on batch data
 */
private[calls] final class DeadLetterFile(
    folder: String,
    batch: Long,
    partition: Int,
    attempt: Long,
    conf: Configuration
) {
  private val directory =
    if (batch < 0) new Path(folder) else new Path(folder, f"batch=$batch%08d")
  private val file = new TaskFile(new Path(directory, f"part-$partition%05d.json"), attempt, conf)
  private var writer = Option.empty[Writer]

  def add(letter: String): Unit = {
    val out = writer.getOrElse {
      val stream = file.begun.getFileSystem(conf).create(file.begun, true)
      val opened = new java.io.OutputStreamWriter(stream, UTF_8)
      writer = Some(opened)
      opened
    }
    out.write(letter)
    out.write('\n')
  }

  /**
   * The task has ended well.
   *
   * @param isWhole
   *   whether it has read all rows: an action such as `head` does not, and then the file of another
   *   pass stays
   */
  def commit(isWhole: Boolean): Unit =
    if (!isWhole && file.isThere) abort()
    else {
      writer.foreach(_.close())
      file.commit(isWritten = writer.nonEmpty)
    }

  /** The task has failed. */
  def abort(): Unit = writer.foreach { out =>
    out.close()
    file.abort()
  }
}
