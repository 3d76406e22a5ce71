package tidegate.own.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/**
 * The rows that a batch brings to one side, in the order of their keys.
 *
 * @param unsafe
 *   what makes an `UnsafeRow` of a row that is none
 * @param keyOf
 *   the key of a row in the state
 * @param mayPair
 *   whether a row may have a partner, as far as the row alone says it
 * @param keepsOthers
 *   whether the other rows are wanted too
 */
private[join] final class SideInput(
    rows: Iterator[InternalRow],
    unsafe: UnsafeProjection,
    keyOf: UnsafeProjection,
    mayPair: InternalRow => Boolean,
    time: SideTime,
    keepsOthers: Boolean,
    sizes: JoinSizes
) {
  private var row: UnsafeRow = _
  private val others = new SideRows
  private var otherAt = 0

  /** The key of the row that was found, valid until that row is taken. */
  var key: UnsafeRow = _

  /** Whether the others have to be taken before more rows are looked for. */
  def isFull: Boolean =
    others.size >= sizes.rowsAtOnce || others.byteSize >= sizes.bytesAtOnce

  /** Whether there is a row that may have a partner; unless there are too many others before it. */
  def find(): Boolean = {
    while (row == null && !isFull && rows.hasNext) {
      val next = rows.next() match {
        case u: UnsafeRow => u
        case other        => unsafe(other)
      }
      if (!time.isNull(next) && mayPair(next)) {
        row = next
        key = keyOf(next)
      } else if (keepsOthers) others.add(next, 0L)
    }
    row != null
  }

  /**
   * Points `other` at the next skipped row that has no partner.
   *
   * @return
   *   whether there was one; if not, there is room for others again
   */
  def takeOther(other: UnsafeRow): Boolean = {
    val isThere = otherAt < others.size
    if (isThere) {
      others.point(otherAt, other)
      otherAt += 1
    } else if (otherAt > 0) {
      others.clear()
      otherAt = 0
    }
    isThere
  }

  /** Takes the row that was found. */
  def take(to: SideRows): Unit = {
    to.add(row, time.micros(row))
    row = null
  }
}
