package tidegate.execution

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.tidegate.{OnlyShown, StoresAtExit}
import tidegate.core.EndOfTime
import tidegate.core.figures.LatenessCounter
import tidegate.statistics.{LatePass, LateRows}

/**
 * Counts late rows in a task, words the first few for the log, and writes them if they are kept.
 *
 * @param partlyLate
 *   counts the rows that are late for some of their windows
 */
private[execution] final case class LateLog(
    text: LateText,
    late: LateRows,
    metric: SQLMetric,
    partlyLate: SQLMetric,
    missed: LateWindows,
    files: Option[LateFiles]
) {
  private val shown = new OnlyShown

  /** Begins a pass over a partition of the operator. */
  def begin(partition: Int): LateLog.Pass = {
    // In front of an operator of Spark's, whose stores are in the same JVMs.
    StoresAtExit.install()
    new LateLog.Pass(late.begin(partition), files.map(_.begin(partition)))
  }

  /** Not at the end of time, when all rows are late. */
  private def noteLateness(row: InternalRow, pass: LateLog.Pass): Unit =
    if (missed.watermarkMs < EndOfTime.Ms) {
      val lateMs = missed.watermarkMs - Math.floorDiv(missed.micros(row), 1000L)
      val counter =
        if (text.substream.isEmpty) pass.counts.lateness.others
        else {
          val values = text.substreamOf(row)
          pass.lateness(values)(text.nameOf(values))
        }
      counter.add(lateMs)
    }

  /**
   * Notes a dropped row, or one that is late for some of its windows only; the caller may reuse the
   * row object afterwards.
   */
  def note(row: InternalRow, pass: LateLog.Pass, isPartly: Boolean): Unit = {
    if (isPartly) {
      partlyLate += 1
      pass.counts.addPartly(missed.number(row))
    } else {
      metric += 1
      pass.counts.drop(shown.orElse("A late row", text.unshown)(text.of(row)))
      shown("How late a row is")(noteLateness(row, pass))
    }
    pass.file.foreach(_.add(row, isPartly))
  }
}

private[execution] object LateLog {

  final class Pass(val counts: LatePass, val file: Option[LateFile]) {
    private val ofSubstream = mutable.HashMap.empty[UnsafeRow, LatenessCounter]

    /** The counter of a substream; its name is made once. */
    def lateness(substream: UnsafeRow)(name: => String): LatenessCounter =
      ofSubstream.getOrElse(
        substream,
        if (counts.lateness.isFull) counts.lateness.others
        else {
          val counter = counts.lateness.of(name)
          ofSubstream(substream.copy()) = counter
          counter
        }
      )
  }
}
