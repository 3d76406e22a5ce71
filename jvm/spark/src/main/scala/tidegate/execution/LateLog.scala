package tidegate.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import tidegate.statistics.{LatePass, LateRows}

/** Counts late rows in a task, and words the first few for the log. */
private[execution] final case class LateLog(text: LateText, late: LateRows, metric: SQLMetric) {

  /** Begins a pass over a partition of the operator. */
  def begin(partition: Int): LatePass = late.begin(partition)

  /** Notes a dropped row; the caller may reuse the row object afterwards. */
  def dropped(row: InternalRow, pass: LatePass): Unit = {
    metric += 1
    pass.drop(text.of(row))
  }
}
