package tidegate.execution.calls

import java.io.Writer
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.commons.io.IOUtils
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
  private var written = 0L

  def add(letter: String): Unit = {
    val out = writer.getOrElse {
      val stream = file.begun.getFileSystem(conf).create(file.begun, true)
      val opened = new java.io.OutputStreamWriter(stream, UTF_8)
      writer = Some(opened)
      opened
    }
    out.write(letter)
    out.write('\n')
    written += 1
  }

  /**
   * The task has ended well.
   *
   * @param isWhole
   *   whether it has read all rows: an action such as `head` does not, and then the file of another
   *   pass that has more letters stays
   */
  def commit(isWhole: Boolean): Unit =
    if (!isWhole && file.isThere && count() > written) abort()
    else {
      writer.foreach(_.close())
      file.commit(isWritten = writer.nonEmpty)
    }

  /** How many letters the file has that is there. */
  private def count(): Long = {
    val in = file.file.getFileSystem(conf).open(file.file)
    try IOUtils.lineIterator(in, UTF_8).asScala.size.toLong
    finally in.close()
  }

  /** The task has failed. */
  def abort(): Unit = writer.foreach { out =>
    out.close()
    file.abort()
  }
}
