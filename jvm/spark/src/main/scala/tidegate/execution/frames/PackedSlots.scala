package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Entries of one word per buffer in one array, in the layout of `UnsafeRow`: they are copied from
 * and to the state as they are, and merged by generated code.
 */
private[frames] final class PackedSlots(aggregates: FrameAggregates) extends BufferSlots {
  private val code: FrameCode = GenerateFrameCode(aggregates)
  private val keyCount = aggregates.keys.size
  private val fields = 1 + aggregates.buffers.size
  private val bytes = 8 + 8 * fields
  private var words = new Array[Long](0)

  private val (left, right, into) = (view(), view(), view())

  private def view() = new UnsafeRow(fields)

  private def at(slot: Int): Long = Platform.LONG_ARRAY_OFFSET + slot.toLong * bytes

  private def point(row: UnsafeRow, slot: Int): UnsafeRow = {
    row.pointTo(words, at(slot), bytes)
    row
  }

  override protected def grow(capacity: Int): Unit =
    words = java.util.Arrays.copyOf(words, Math.multiplyExact(capacity, bytes / 8))

  override def load(entry: UnsafeRow, slot: Int): Unit =
    Platform.copyMemory(entry.getBaseObject, entry.getBaseOffset, words, at(slot), bytes.toLong)

  override def loadInput(row: UnsafeRow, slot: Int): Unit = {
    val first = row.getBaseOffset + UnsafeRow.calculateBitSetWidthInBytes(row.numFields) +
      8L * keyCount
    Platform.copyMemory(row.getBaseObject, first, words, at(slot) + 8, bytes - 8L)
    var nulls = 0L
    if (row.anyNull) {
      var i = 0
      while (i < fields) {
        if (row.isNullAt(keyCount + i)) nulls |= 1L << i
        i += 1
      }
    }
    Platform.putLong(words, at(slot), nulls)
  }

  override def setFrame(slot: Int, frame: Long): Unit =
    Platform.putLong(words, at(slot) + 8, frame)

  override def copy(from: Int, slot: Int): Unit =
    Platform.copyMemory(words, at(from), words, at(slot), bytes.toLong)

  override def merge(earlier: Int, later: Int, slot: Int): Unit =
    code.merge(point(left, earlier), point(right, later), point(into, slot))

  override def entry(slot: Int): UnsafeRow = point(into, slot)

  override def result(stateKey: UnsafeRow, start: Long, slot: Int): UnsafeRow =
    code.result(stateKey, start, point(left, slot))
}
