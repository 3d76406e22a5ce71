package tidegate.execution

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.OutputWriter
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.tidegate.ParquetRows
import org.apache.spark.unsafe.types.UTF8String
import tidegate.core.EndOfTime
import tidegate.paths.FolderCall
import tidegate.statistics.SubstreamNode

/**
 * Writes the late rows of an operator, from within its tasks.
 *
 * @param missed
 *   the times of rows, and the windows that they miss
 * @param substream
 *   the columns that name the substream of a row; none if the rows do not have them
 * @param notWritten
 *   counts the rows beyond the bound
 */
private[execution] final case class LateFiles(
    folder: LateFolder,
    missed: LateWindows,
    substream: Option[Seq[Attribute]],
    rows: ParquetRows,
    notWritten: SQLMetric
) {
  import LateFiles._
  import missed.{columns, watermarkMs}

  /** The file of a partition of the operator; there is one as soon as a row is added. */
  def begin(partition: Int): LateFile = new LateFile(this, partition)

  /** How many rows a task may still write: of all partitions that it reads, after `coalesce`. */
  @transient private[execution] lazy val left =
    new Allowance(math.max(1L, folder.maxRows / TaskContext.get().numPartitions()))

  @transient private lazy val whole = UnsafeProjection.create(folder.row, columns)
  @transient private lazy val names =
    UnsafeProjection.create(substream.getOrElse(Nil).map(SubstreamText.of), columns)
  @transient private lazy val origin = folder.origin

  private[execution] def recordOf(row: InternalRow, isPartly: Boolean): InternalRow = {
    val micros = missed.micros(row)
    InternalRow(
      text(origin.operator),
      text(origin.watermarks.mkString(", ")),
      // The end of time is no TIMESTAMP of Python; the last whole millisecond is.
      math.min(watermarkMs, EndOfTime.Ms) * MicrosPerMs,
      micros,
      watermarkMs - Math.floorDiv(micros, MicrosPerMs),
      substreamOf(row),
      origin.query.map(text).orNull,
      folder.batch,
      folder.wallClockMs * MicrosPerMs,
      isPartly,
      missed.of(row),
      whole(row)
    )
  }

  private def substreamOf(row: InternalRow): UTF8String = substream.fold[UTF8String](null) { by =>
    val values = names(row)
    text(SubstreamNode.name(by.indices.map { i =>
      if (values.isNullAt(i)) null else values.getUTF8String(i).toString
    }))
  }
}

private[execution] object LateFiles {
  private val MicrosPerMs = 1000L

  /** Several passes over a partition write the same rows, so only the longest one counts. */
  private[execution] final class Allowance(private var rows: Long) {
    private val taken = mutable.Map.empty[Int, Long].withDefaultValue(0L)

    /** Whether a pass over a partition may write a row after those that it has written. */
    def take(partition: Int, written: Long): Boolean =
      written < taken(partition) || rows > 0 && {
        rows -= 1
        taken(partition) = written + 1
        true
      }
  }

  private def text(s: String): UTF8String = UTF8String.fromString(s)
}

/** The late rows of one pass over a partition. */
private[execution] final class LateFile(files: LateFiles, partition: Int) {
  private val task = TaskContext.get()
  private var written = 0L
  private var writer: OutputWriter = _

  /** Writes a row: a dropped one, or one that is late for some of its windows only. */
  def add(row: InternalRow, isPartly: Boolean): Unit =
    if (!files.left.take(partition, written)) files.notWritten += 1
    else {
      val record = files.recordOf(row, isPartly)
      writing {
        if (writer == null) open()
        writer.write(record)
      }
      written += 1
    }

  private def writing(step: => Unit): Unit =
    FolderCall.inTask("Writing late rows", files.folder.files.path)(step)

  /**
   * Whether the file of another pass stays, because it has as many rows. An action such as `head`
   * reads only some of the rows, and an attempt that was overtaken has the same ones.
   */
  private def isKept(own: TaskFile): Boolean =
    own.isThere && files.rows.count(own.file) >= written

  private def open(): Unit = {
    val file = new TaskFile(
      files.folder.file(partition),
      task.taskAttemptId(),
      files.rows.configuration
    )
    writer = files.rows.open(file.begun)
    TaskFile.atEnd(task) { isFailed =>
      writing {
        writer.close()
        if (isFailed || isKept(file)) file.abort() else file.commit(isWritten = true)
      }
    }
  }
}
