package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType
import tidegate.core.window.{FrameCursor, Slots}

/**
 * The rows of the partial aggregation, grouped in memory by the rows of the state that they go to.
 * Rows beyond `maxBytes` are left for the next round, so that a large batch is merged into the
 * state part by part. To sort the batch would cost more than to write a few keys twice.
 *
 * @param opened
 *   keys and their frames that have left the state, and come first ([[FramePlaces.opened]])
 */
private[own] final class FrameInput(
    opened: Iterator[(UnsafeRow, FrameCursor)],
    rows: Iterator[InternalRow],
    aggregates: FrameAggregates,
    slots: BufferSlots,
    maxBytes: Long,
    locate: FrameInput.Locate
) {
  import FrameInput._

  private val keyCount = aggregates.keys.size
  private val keyOf = UnsafeProjection.create(
    (Literal(null, IntegerType) +: aggregates.keys.zipWithIndex.map { case (k, i) =>
      BoundReference(i, k.dataType, k.nullable)
    }) ++ aggregates.pageKey.map(k => Literal(null, k.dataType))
  )
  private val scratch = slots.allocate()
  private val rowEntry = new RowEntry(slots, keyCount)
  private val slotEntry = new SlotEntry(slots)
  private var bytes = 0L
  private val groups = new java.util.LinkedHashMap[UnsafeRow, FrameList]

  /** Whether there are rows that no round has read yet. */
  def hasMore: Boolean = opened.hasNext || rows.hasNext

  /**
   * Reads a round: the keys of the state, and the frames of each key in order. The caller then owns
   * the frames; a frame may occur more than once.
   */
  def next(): java.util.Iterator[java.util.Map.Entry[UnsafeRow, FrameList]] = {
    groups.clear()
    bytes = 0L
    while (bytes < maxBytes && opened.hasNext) {
      val (key, frames) = opened.next()
      addFrames(key, frames)
    }
    while (bytes < maxBytes && rows.hasNext) addRow(rows.next().asInstanceOf[UnsafeRow])
    groups.values.forEach(_.sort())
    groups.entrySet.iterator
  }

  private def addRow(row: UnsafeRow): Unit = {
    val key = keyOf(row)
    val frame = row.getLong(keyCount)
    locate(key, frame)
    rowEntry.row = row
    add(framesOf(key), frame, rowEntry)
    bytes += row.getSizeInBytes
  }

  private def addFrames(key: UnsafeRow, frames: FrameCursor): Unit =
    while (frames.frame != FrameCursor.End) {
      locate(key, frames.frame)
      slotEntry.slot = frames.slot
      add(framesOf(key), frames.frame, slotEntry)
      bytes += slots.size(frames.slot)
      frames.advance()
    }

  private def framesOf(key: UnsafeRow): FrameList = {
    val known = groups.get(key)
    if (known != null) known
    else {
      val frames = new FrameList(slots, initialCapacity = 8)
      groups.put(key.copy(), frames)
      bytes += GroupBytes
      frames
    }
  }

  private def add(frames: FrameList, frame: Long, entry: Entry): Unit =
    // Frames mostly come in order; if they do not, moving many frames for each insertion would take
    // too long.
    if (frames.size >= Many) entry.load(frames.append(frame))
    else {
      val i = frames.indexBehind(frame)
      if (i > 0 && frames.frames(i - 1) == frame) {
        entry.load(scratch)
        slots.merge(frames.places(i - 1), scratch, frames.places(i - 1))
      } else entry.load(frames.insert(i, frame))
    }
}

private[own] object FrameInput {

  /** What is put into a place: one object for all entries, without an object for each of them. */
  private sealed trait Entry {
    def load(into: Int): Unit
  }

  private final class RowEntry(slots: BufferSlots, keyCount: Int) extends Entry {
    var row: UnsafeRow = _
    override def load(into: Int): Unit = slots.loadColumns(row, keyCount, into)
  }

  private final class SlotEntry(slots: BufferSlots) extends Entry {
    var slot: Int = Slots.NoSlot
    override def load(into: Int): Unit = slots.copy(slot, into)
  }

  /** Turns a key of the state into that of the row in which a frame is. */
  trait Locate {
    def apply(key: UnsafeRow, frame: Long): Unit
  }

  /** Roughly the memory of a key in addition to its rows. */
  private val GroupBytes = 256

  private val Many = 64
}
