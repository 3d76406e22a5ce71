package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import tidegate.core.window.FrameGrid
import tidegate.own.aggregates.{BufferSlots, EntryArray, EntryRowWriter, FrameList}

/**
 * A row of the state of windows that do not overlap ([[ByWindow]]). The entry of its window is in
 * the row itself: key and row have no more bytes than those that Spark keeps for a key and a
 * window.
 *
 * | column              | in the row of a key and a window                                                 |
 * |:--------------------|:---------------------------------------------------------------------------------|
 * | `frame_end`         | the end of its first frame                                                       |
 * | one for each buffer | the buffers of the first frame, if all buffers are words                         |
 * | `rest`              | NULL, or `more`: the entries of the other frames, or of all if some are no words |
 *
 * It has other frames if windows share their number. A row of another kind has only `rest`, and in
 * it only `long`, a row as [[FrameRow]] describes it: those of windows that slide since the query
 * was changed.
 *
 * Entries have the ends of their frames. So it needs no word that says how long the frames were
 * when the row was written: a frame goes into the frame in which it ends.
 */
private[own] final class ShortRow(entryFields: Int) {
  import ShortRow._

  private val RestAt = entryFields
  private val array = new EntryArray(entryFields)

  /** The long row in a row; null if it is short. */
  def long(row: UnsafeRow): UnsafeRow = {
    val rest = restOf(row)
    if (rest == null || rest.isNullAt(LongAt)) null else rest.getStruct(LongAt, FrameRow.Columns)
  }

  private def restOf(row: UnsafeRow): UnsafeRow =
    if (row.isNullAt(RestAt)) null else row.getStruct(RestAt, RestColumns)

  /** Whether a short row has a window that ends at or before `until`. */
  def isOpen(row: UnsafeRow, until: Long): Boolean = end(row) <= until

  /** The end of the first frame of a short row. */
  def end(row: UnsafeRow): Long = row.getLong(End)

  /** The entries in `more`, until the next call. */
  def more(row: UnsafeRow): EntryArray = {
    val rest = restOf(row)
    if (rest == null || rest.isNullAt(MoreAt)) array.size = 0 else array.pointTo(rest, MoreAt)
    array
  }

  /** Whether a row has its first entry in its own columns. */
  def hasFirst(row: UnsafeRow, more: EntryArray): Boolean =
    more.size == 0 || more.frame(0) != end(row)

  /** Writes rows; `isPacked` if all buffers are words. */
  final class Writer(slots: BufferSlots, grid: FrameGrid, isPacked: Boolean)
      extends EntryRowWriter(entryFields + 1, entryFields, shift = grid.slide) {
    private val restWriter = new RestWriter(slots, grid.slide, entryFields)

    /** The row of a key that has these frames. */
    def short(frames: FrameList, from: Int): UnsafeRow = {
      begin()
      if (isPacked) setFirst(slots, frames.places(from))
      else setLong(End, grid.lastEndOver(frames.frames(from)))
      val first = if (isPacked) from + 1 else from
      if (first < frames.size) setRow(RestAt, restWriter.more(frames, first)) else setNull(RestAt)
      result()
    }

    def long(row: UnsafeRow): UnsafeRow = {
      begin()
      setRow(RestAt, restWriter.long(row))
      result()
    }
  }
}

private[own] object ShortRow {
  val End = 0

  // The columns of `rest`.
  private val MoreAt = 0
  private val LongAt = 1
  private val RestColumns = 2

  /** The names of the column of entries, and of those that it is in. */
  val EntriesPath: Seq[String] = Seq("rest", "more")

  private final class RestWriter(slots: BufferSlots, slide: Long, entryFields: Int)
      extends EntryRowWriter(RestColumns, entryFields, shift = slide) {

    def more(frames: FrameList, from: Int): UnsafeRow = {
      begin()
      setEntries(MoreAt, slots, frames.places, from, frames.size)
      result()
    }

    def long(row: UnsafeRow): UnsafeRow = {
      begin()
      setRow(LongAt, row)
      result()
    }
  }

  def schema(entry: StructType): StructType = {
    val own = StructField(FrameAggregate.FirstOfShortRow, TimestampType) +: entry.fields.toSeq.tail
      .map(_.copy(nullable = true))
    val more = StructType(
      entry.fields.head.copy(name = FrameAggregate.FirstOfShortRow) +: entry.fields.tail
    )
    val rest = new StructType()
      .add(EntriesPath.last, ArrayType(more, containsNull = false))
      .add("long", FrameRow.schema(entry))
    StructType(own :+ StructField(EntriesPath.head, rest))
  }
}
