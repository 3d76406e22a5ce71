package tidegate.execution.calls

import java.io.{FileNotFoundException, Writer}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.commons.io.IOUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import tidegate.execution.TaskFile

/**
 * The dead letters of a task in one partition: a file with a line for each.
 *
 * The lines are written under another name, and the file gets its name when the task has ended
 * well. A task that is run again replaces the file; without dead letters it removes the file. What
 * a task leaves that has read only some rows, such as that of a `head`, has a name that says so:
 * such a file never takes the place of one with the dead letters of all rows.
 *
 * @param path
 *   of the file, without its end
 */
private[calls] final class DeadLetterFile(path: Path, attempt: Long, conf: Configuration) {
  private val file = new TaskFile(path.suffix(".json"), attempt, conf)
  private val ofSomeRows = path.suffix(".some.json")
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
   *   whether it has read all rows. If not, the file of a pass over all rows stays, and so does the
   *   file of a pass over some rows that has no fewer letters.
   */
  def commit(isWhole: Boolean): Unit =
    if (isWhole) {
      writer.foreach(_.close())
      file.commit(isWritten = writer.nonEmpty)
      val _ = ofSomeRows.getFileSystem(conf).delete(ofSomeRows, false)
    } else if (writer.nonEmpty) {
      if (file.isThere || count(ofSomeRows) >= written) abort()
      else {
        writer.foreach(_.close())
        file.commit(isWritten = true, as = ofSomeRows)
      }
    }

  /** How many letters a file has; 0 if there is no such file. */
  private def count(file: Path): Long =
    try {
      val in = file.getFileSystem(conf).open(file)
      try IOUtils.lineIterator(in, UTF_8).asScala.size.toLong
      finally in.close()
    } catch { case _: FileNotFoundException => 0L }

  /** The task has failed. */
  def abort(): Unit = writer.foreach { out =>
    out.close()
    file.abort()
  }
}
