package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import tidegate.core.window.FrameGrid
import tidegate.own.aggregates.EntryRowWriter
import tidegate.plans.DropLate

/**
 * A row of the state of windows that overlap. Each key has a head, or far rows ([[ByKey]]). Frames
 * that do not fit there are sealed into chunks: rows of their own that are written once, and read
 * when their frames slide out. The root of [[FarRows]] has no frames: its `chunk_ids` and
 * `chunk_ends` are the widths of buckets, in bits, and the first end in each.
 *
 * | column       | of a head                                                   | of a chunk  |
 * |:-------------|:------------------------------------------------------------|:------------|
 * | `closed`     | the end of the last window that was out when it was written | 0           |
 * | `slide`      | from one of its frames to the next, in µs                   | the same    |
 * | `offset`     | where frames begin, in µs from the epoch                    | the same    |
 * | `size`       | the length of the windows, in µs                            | the same    |
 * | `chunk_ids`  | the numbers of the chunks, in the order of their frames     | empty       |
 * | `chunk_ends` | the last frame of each                                      | empty       |
 * | `chunks`     | all entries of each merged into one, with its first frame   | empty       |
 * | `frames`     | the entries after the chunks                                | its entries |
 */
private[own] object FrameRow {
  val Closed = 0
  val Slide = 1
  val Offset = 2
  val Size = 3
  val ChunkIds = 4
  val ChunkEnds = 5
  val Chunks = 6
  val Frames = 7
  val Columns = 8

  /**
   * In µs, what `closed` is if no window is out yet: no window ends there. The lowest time itself
   * is too early for Python, where a user may read the state.
   */
  private val NoneClosed = 1L

  /** The names of the column of entries, and of those that it is in. */
  val EntriesPath: Seq[String] = Seq("frames")

  /** The column `closed` of a row. */
  def closed(micros: Long): Long = if (isNone(micros)) NoneClosed else micros

  /** Whether the end of the last window that is out says that none is. */
  def isNone(micros: Long): Boolean = micros <= DropLate.LowestMs * 1000

  /** Whether windows that end at or before `until` may still have to leave. */
  def isOpen(head: UnsafeRow, until: Long): Boolean = {
    val closed = head.getLong(Closed)
    closed < until || closed == NoneClosed
  }

  def schema(entry: StructType): StructType = StructType(
    Seq(
      StructField("closed", TimestampType, nullable = false),
      StructField("slide", LongType, nullable = false),
      StructField("offset", LongType, nullable = false),
      StructField("size", LongType, nullable = false),
      StructField("chunk_ids", ArrayType(IntegerType, containsNull = false), nullable = false),
      StructField("chunk_ends", ArrayType(TimestampType, containsNull = false), nullable = false),
      StructField("chunks", ArrayType(entry, containsNull = false), nullable = false),
      StructField(EntriesPath.last, ArrayType(entry, containsNull = false), nullable = false)
    )
  )
}

/** Writes rows as [[FrameRow]] describes them. */
private[own] final class FrameRowWriter(grid: FrameGrid, entryFields: Int)
    extends EntryRowWriter(FrameRow.Columns, entryFields, shift = 0L) {

  /** Begins a row. */
  def begin(closed: Long): Unit = {
    begin()
    setLong(FrameRow.Closed, FrameRow.closed(closed))
    setLong(FrameRow.Slide, grid.slide)
    setLong(FrameRow.Offset, grid.offset)
    setLong(FrameRow.Size, grid.size)
  }
}
