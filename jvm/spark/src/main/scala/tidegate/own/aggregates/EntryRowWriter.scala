package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import tidegate.core.Saturating
import tidegate.own.rows.RowBytes.address
import tidegate.own.rows.StateRowWriter

/**
 * Writes rows with entries in them.
 *
 * @param shift
 *   what is added to the frame of each entry, in µs
 */
private[own] abstract class EntryRowWriter(columns: Int, entryFields: Int, shift: Long)
    extends StateRowWriter(columns) {
  private val frameAt = UnsafeRow.calculateBitSetWidthInBytes(entryFields)

  /**
   * Copies an entry to the first columns, with their null bits: the row must have as many words of
   * them. All other columns are then not NULL.
   */
  protected def setFirst(slots: BufferSlots, place: Int): Unit = {
    slots.store(place, bytes, address(0))
    shiftFrame(0)
  }

  def setEntries(
      column: Int,
      slots: BufferSlots,
      places: Array[Int],
      from: Int,
      until: Int
  ): Unit = {
    beginArray(until - from, 8 * (until - from))
    var i = from
    while (i < until) {
      val at = used
      val size = slots.size(places(i))
      reserve(size)
      slots.store(places(i), bytes, address(at))
      shiftFrame(at)
      setElement(i - from, at, size)
      i += 1
    }
    endArray(column)
  }

  private def shiftFrame(entryAt: Int): Unit = if (shift != 0) {
    val frame = address(entryAt + frameAt)
    Platform.putLong(bytes, frame, Saturating.add(Platform.getLong(bytes, frame), shift))
  }
}
