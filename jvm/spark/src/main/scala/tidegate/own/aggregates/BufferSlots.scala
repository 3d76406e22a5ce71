package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import tidegate.core.window.Slots
import tidegate.own.rows.RowArray

/**
 * Entries in numbered places: read from rows, merged, written to the state, turned into results.
 */
private[own] abstract class BufferSlots extends Slots {
  private var free = new Array[Int](64)
  private var freeCount = 0
  private var capacity = 0

  override def allocate(): Int = {
    if (freeCount == 0) {
      val before = capacity
      capacity = math.max(64, capacity * 2)
      grow(capacity)
      if (free.length < capacity) free = new Array[Int](capacity)
      // So that the lowest place is taken first.
      (capacity - 1 to before by -1).foreach(release)
    }
    freeCount -= 1
    free(freeCount)
  }

  override def release(slot: Int): Unit = {
    free(freeCount) = slot
    freeCount += 1
  }

  /** Makes space for `capacity` entries. */
  protected def grow(capacity: Int): Unit

  /** Loads the entry at `i` of an array in the state. */
  def load(entries: EntryArray, i: Int, into: Int): Unit

  /** Loads the columns of a row from `first` on: the frame and the buffers. */
  def loadColumns(row: UnsafeRow, first: Int, into: Int): Unit

  /** The first buffer of an entry, if that is a number of eight bytes. */
  def firstBuffer(slot: Int): Long

  /** Moves the entry to another frame. */
  def setFrame(slot: Int, frame: Long): Unit

  /** The length of the entry for the state, in bytes. */
  def size(slot: Int): Int

  /** Writes the entry for the state to `address` of `base`. */
  def store(slot: Int, base: AnyRef, address: Long): Unit

  /**
   * The output of a window or session; good until the next call.
   *
   * @param later
   *   the place of what is still to be merged after `earlier`; may be `Slots.NoSlot`
   */
  def result(stateKey: UnsafeRow, start: Long, earlier: Int, later: Int): UnsafeRow
}

/** An array of entries inside a row. */
private[own] final class EntryArray(entryFields: Int) extends RowArray {
  private val frameAt = UnsafeRow.calculateBitSetWidthInBytes(entryFields)

  def frame(i: Int): Long = Platform.getLong(base, address(i) + frameAt)
}
