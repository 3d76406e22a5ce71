package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import tidegate.core.window.FrameGrid
import tidegate.plans.FrameAggregate

/**
 * A row of the state of windows that do not overlap ([[ByWindow]]). The entry of its window is in
 * the row itself: key and row have as many bytes as those that Spark keeps for a key and a window.
 *
 * | column              | in the row of a key and a window                                |
 * |:--------------------|:----------------------------------------------------------------|
 * | `frame_end`         | the end of its first frame                                      |
 * | one for each buffer | the buffers of the first frame, if all buffers are words        |
 * | `more`              | the entries of the other frames, or of all if some are no words |
 * | `long`              | null                                                            |
 *
 * It has other frames if windows share their number, and in states of earlier versions, which had
 * one row for all windows of a key.
 *
 * A row of another kind has only `long`, a row as [[FrameRow]] describes it: those of windows that
 * slide since the query was changed, and of earlier versions if a key had many windows.
 *
 * Entries have the ends of their frames. So it needs no word that says how long the frames were
 * when the row was written: a frame goes into the frame in which it ends.
 */
private[frames] final class ShortRow(entryFields: Int) {
  private val MoreAt = entryFields
  private val LongAt = entryFields + 1
  private val array = new EntryArray(entryFields)

  /** The long row in a row; null if it is short. */
  def long(row: UnsafeRow): UnsafeRow =
    if (row.isNullAt(LongAt)) null else row.getStruct(LongAt, FrameRow.Columns)

  /** Whether a short row has a window that ends at or before `until`. */
  def isOpen(row: UnsafeRow, until: Long): Boolean = end(row) <= until

  /** The end of the first frame of a short row. */
  def end(row: UnsafeRow): Long = row.getLong(ShortRow.End)

  /** The entries in `more`, until the next call. */
  def more(row: UnsafeRow): EntryArray = {
    if (row.isNullAt(MoreAt)) array.size = 0 else array.pointTo(row, MoreAt)
    array
  }

  /** Whether a row has its first entry in its own columns. */
  def hasFirst(row: UnsafeRow, more: EntryArray): Boolean =
    more.size == 0 || more.frame(0) != end(row)

  /** Writes rows; `isPacked` if all buffers are words. */
  final class Writer(slots: BufferSlots, grid: FrameGrid, isPacked: Boolean)
      extends StateRowWriter(entryFields + 2, entryFields, shift = grid.slide) {

    /** The row of a key that has these frames. */
    def short(frames: FrameList, from: Int): UnsafeRow = {
      begin()
      if (isPacked) setFirst(slots, frames.places(from))
      else {
        setLong(ShortRow.End, grid.lastEndOver(frames.frames(from)))
        (1 until entryFields).foreach(setNull)
      }
      val first = if (isPacked) from + 1 else from
      if (first < frames.size) entries(MoreAt, slots, frames.places, first, frames.size)
      else setNull(MoreAt)
      setNull(LongAt)
      result()
    }

    def long(row: UnsafeRow): UnsafeRow = {
      begin()
      (0 until LongAt).foreach(setNull)
      setRow(LongAt, row)
      result()
    }
  }
}

private[frames] object ShortRow {
  private val End = 0

  def schema(entry: StructType): StructType = {
    val own = StructField(FrameAggregate.FirstOfShortRow, TimestampType) +: entry.fields.toSeq.tail
      .map(_.copy(nullable = true))
    val more = StructType(
      entry.fields.head.copy(name = FrameAggregate.FirstOfShortRow) +: entry.fields.tail
    )
    StructType(
      own :+ StructField("more", ArrayType(more, containsNull = false)) :+
        StructField("long", FrameRow.schema(entry))
    )
  }
}
