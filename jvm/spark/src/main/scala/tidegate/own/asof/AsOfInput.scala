package tidegate.own.asof

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/**
 * The rows that a batch brings to one side, in the order of their keys.
 *
 * @param unsafe
 *   what makes an `UnsafeRow` of a row that is none
 * @param keyOf
 *   the key of a row in the state
 * @param keyColumns
 *   how many columns of that key are of the join, after the number of the chunk
 * @param time
 *   the place of the time in a row
 */
private[asof] final class AsOfInput(
    rows: Iterator[InternalRow],
    unsafe: UnsafeProjection,
    keyOf: UnsafeProjection,
    keyColumns: Int,
    time: Int
) {
  private var current: UnsafeRow = _

  /** The key of the row that was found, valid until that row is taken. */
  var key: UnsafeRow = _

  /** Whether there is one more row. */
  def find(): Boolean = {
    if (current == null && rows.hasNext) {
      current = rows.next() match {
        case u: UnsafeRow => u
        case other        => unsafe(other)
      }
      key = keyOf(current)
    }
    current != null
  }

  /** The row that was found. */
  def row: UnsafeRow = current

  /** Whether the row has a time, and a key without NULL. */
  def mayPair: Boolean = hasTime && {
    var i = 1
    while (i <= keyColumns && !key.isNullAt(i)) i += 1
    i > keyColumns
  }

  private def hasTime: Boolean = !current.isNullAt(time)

  def micros: Long = current.getLong(time)

  /** Goes on to the next row. */
  def take(): Unit = current = null
}
