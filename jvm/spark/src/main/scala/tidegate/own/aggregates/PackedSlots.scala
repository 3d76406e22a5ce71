package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Entries of one word per buffer in one array, in the layout of `UnsafeRow`: they are copied from
 * and to the state unchanged. [[GeneratePackedSlots]] generates a subclass with the steps for each
 * entry: load, merge, slide, evaluate, store.
 *
 * @param bufferCount
 *   the number of buffers of an entry; null bits and the frame precede them
 */
private[own] abstract class PackedSlots(bufferCount: Int) extends BufferSlots {
  private val fields = 1 + bufferCount
  private val bytes = 8 + 8 * fields

  /** The entries. */
  protected var words: Array[Long] = new Array[Long](0)

  /** Where an entry begins in `words`. */
  protected final def at(slot: Int): Long = Platform.LONG_ARRAY_OFFSET + slot.toLong * bytes

  /** Copies an entry. */
  protected def copyEntry(from: AnyRef, fromAddress: Long, to: AnyRef, toAddress: Long): Unit

  /** Copies the frame and buffers of a row whose null bits are elsewhere. */
  protected def copyFields(from: AnyRef, fromAddress: Long, to: AnyRef, toAddress: Long): Unit

  override protected def grow(capacity: Int): Unit =
    words = java.util.Arrays.copyOf(words, Math.multiplyExact(capacity, bytes / 8))

  override def load(entries: EntryArray, i: Int, slot: Int): Unit =
    copyEntry(entries.base, entries.address(i), words, at(slot))

  override def loadColumns(row: UnsafeRow, first: Int, slot: Int): Unit = {
    val from = row.getBaseOffset + UnsafeRow.calculateBitSetWidthInBytes(row.numFields) + 8L * first
    copyFields(row.getBaseObject, from, words, at(slot) + 8)
    var nulls = 0L
    if (row.anyNull) {
      var i = 0
      while (i < fields) {
        if (row.isNullAt(first + i)) nulls |= 1L << i
        i += 1
      }
    }
    Platform.putLong(words, at(slot), nulls)
  }

  override def firstBuffer(slot: Int): Long = Platform.getLong(words, at(slot) + 16)

  override def setFrame(slot: Int, frame: Long): Unit =
    Platform.putLong(words, at(slot) + 8, frame)

  override def copy(from: Int, slot: Int): Unit = copyEntry(words, at(from), words, at(slot))

  override def size(slot: Int): Int = bytes

  override def store(slot: Int, base: AnyRef, address: Long): Unit =
    copyEntry(words, at(slot), base, address)
}
