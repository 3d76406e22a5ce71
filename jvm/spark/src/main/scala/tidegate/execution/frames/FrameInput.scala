package tidegate.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.IntegerType

/**
 * The rows of the partial aggregation, grouped in memory by the rows of the state that they go to.
 * Rows beyond `maxBytes` are left for the next round, so that a large batch is merged into the
 * state part by part. To sort the batch would cost more than to write a few keys twice.
 */
private[frames] final class FrameInput(
    rows: Iterator[InternalRow],
    aggregates: FrameAggregates,
    slots: BufferSlots,
    maxBytes: Long,
    locate: FrameInput.Locate
) {
  private val keyCount = aggregates.keys.size
  private val keyOf = UnsafeProjection.create(
    (Literal(null, IntegerType) +: aggregates.keys.zipWithIndex.map { case (k, i) =>
      BoundReference(i, k.dataType, k.nullable)
    }) ++ aggregates.pageKey.map(k => Literal(null, k.dataType))
  )
  private val scratch = slots.allocate()
  private val groups = new java.util.LinkedHashMap[UnsafeRow, FrameList]

  /** Whether there are rows that no round has read yet. */
  def hasMore: Boolean = rows.hasNext

  /**
   * Reads a round: the keys of the state, and the frames of each key in order. The caller then owns
   * the frames; a frame may occur more than once.
   */
  def next(): java.util.Iterator[java.util.Map.Entry[UnsafeRow, FrameList]] = {
    groups.clear()
    var bytes = 0L
    while (bytes < maxBytes && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      val known = groups.size
      val key = keyOf(row)
      locate(key, row.getLong(keyCount))
      add(framesOf(key), row)
      bytes += row.getSizeInBytes
      if (groups.size > known) bytes += FrameInput.GroupBytes
    }
    groups.values.forEach(_.sort())
    groups.entrySet.iterator
  }

  private def framesOf(key: UnsafeRow): FrameList = {
    val known = groups.get(key)
    if (known != null) known
    else {
      val frames = new FrameList(slots, initialCapacity = 8)
      groups.put(key.copy(), frames)
      frames
    }
  }

  private def add(frames: FrameList, row: UnsafeRow): Unit = {
    val frame = row.getLong(keyCount)
    // Frames mostly come in order; if they do not, moving many frames for each insertion would take
    // too long.
    if (frames.size >= FrameInput.Many) slots.loadColumns(row, keyCount, frames.append(frame))
    else {
      val i = frames.indexBehind(frame)
      if (i > 0 && frames.frames(i - 1) == frame) {
        slots.loadColumns(row, keyCount, scratch)
        slots.merge(frames.places(i - 1), scratch, frames.places(i - 1))
      } else slots.loadColumns(row, keyCount, frames.insert(i, frame))
    }
  }
}

private[frames] object FrameInput {

  /** Turns a key of the state into that of the row in which a frame is. */
  trait Locate {
    def apply(key: UnsafeRow, frame: Long): Unit
  }

  /** Roughly the memory of a key in addition to its rows. */
  private val GroupBytes = 256

  private val Many = 64
}
