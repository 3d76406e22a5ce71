package tidegate.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.tidegate.{OnlyShown, StoresAtExit}
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
    }
    pass.file.foreach(_.add(row, isPartly))
  }
}

private[execution] object LateLog {

  final class Pass(val counts: LatePass, val file: Option[LateFile])
}
