package tidegate.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import tidegate.core.EndOfTime
import tidegate.core.window.MissedWindows

/**
 * The time of a late row, and the windows that the row misses.
 *
 * @param eventTime
 *   the time of a row
 * @param columns
 *   the columns of a row
 * @param watermarkMs
 *   the watermark, in epoch ms
 * @param windows
 *   the windows that are made from the time; none if the operator has no windows of a known grid,
 *   or if its rows have no time of their own
 * @param maxListed
 *   a row that misses more windows has no list of them, which would not fit into memory
 */
private[execution] final case class LateWindows(
    eventTime: Expression,
    columns: Seq[Attribute],
    watermarkMs: Long,
    windows: Option[MissedWindows],
    maxListed: Int
) {
  @transient private lazy val times = UnsafeProjection.create(Seq(eventTime), columns)

  private def watermark = EndOfTime.micros(watermarkMs)

  /** The time of a row, in µs. */
  def micros(row: InternalRow): Long = times(row).getLong(0)

  def number(row: InternalRow): Long = windows.fold(0L)(_.number(micros(row), watermark))

  /** The windows as an array of structs; `null` if they are not known, or too many. */
  def of(row: InternalRow): ArrayData = windows
    .filter(_ => number(row) <= maxListed)
    .map { w =>
      new GenericArrayData(w.all(micros(row), watermark).map { case (start, end) =>
        InternalRow(start, end)
      })
    }
    .orNull
}
