package tidegate.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import tidegate.statistics.{LatePass, LateRows}

/**
 * Counts late rows in a task, words the first few for the log, and writes them if they are kept.
 */
private[execution] final case class LateLog(
    text: LateText,
    late: LateRows,
    metric: SQLMetric,
    files: Option[LateFiles]
) {

  /** Begins a pass over a partition of the operator. */
  def begin(partition: Int): LateLog.Pass =
    new LateLog.Pass(late.begin(partition), files.map(_.begin(partition)))

  /** Notes a dropped row; the caller may reuse the row object afterwards. */
  def dropped(row: InternalRow, pass: LateLog.Pass): Unit = {
    metric += 1
    pass.counts.drop(text.of(row))
    pass.file.foreach(_.add(row))
  }
}

private[execution] object LateLog {

  final class Pass(val counts: LatePass, val file: Option[LateFile])
}
