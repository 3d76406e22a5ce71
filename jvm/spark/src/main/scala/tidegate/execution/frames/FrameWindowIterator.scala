package tidegate.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.window.{FrameGrid, WindowMerge}
import tidegate.statistics.DueTimes

/**
 * The windows of one partition that are due in a batch, key by key, and in order for each key. Each
 * window is computed when it is asked for; a key is written when its last window is emitted.
 *
 * First come the keys with rows in this batch. If windows are due, all other keys follow, in one
 * walk over the heads that mostly writes nothing: expired frames are removed by the next write of
 * their head, or when nothing of the key is left. If a batch is read in several rounds, only the
 * keys of the last round are sure to have all their rows; the walk finds the other keys.
 *
 * @param rows
 *   keys, frame and buffers of the partial aggregation
 * @param after
 *   the end of the last window that was emitted before this batch
 * @param until
 *   the end of the last window that is due
 * @param isShort
 *   whether the rows of the state are short ones
 */
private[frames] final class FrameWindowIterator(
    rows: Iterator[InternalRow],
    store: FrameStore,
    aggregates: FrameAggregates,
    grid: FrameGrid,
    after: Long,
    until: Long,
    maxInputBytes: Long,
    isShort: Boolean
) extends Iterator[InternalRow] {
  private val slots = BufferSlots(aggregates)
  private val frames = new KeyFrames(
    store,
    slots,
    grid,
    FrameWindowIterator.chunkFrames(grid),
    aggregates.entryType.size,
    aggregates.arePacked,
    Option.when(isShort)(new ShortRow(aggregates.entryType.size))
  )
  private val windows = WindowMerge(grid, slots)
  private val input = new FrameInput(rows, aggregates, slots, maxInputBytes)

  private var round = input.next()
  private var closed = if (input.hasMore) after else until
  private var key: UnsafeRow = _
  private lazy val heads: Iterator[UnsafeRowPair] =
    if (until > after) store.heads else Iterator.empty

  /**
   * In µs, the end of the first window that is not out yet; it may be too early. Without a walk
   * over all keys, only of the keys with rows in this batch.
   */
  var earliest: Long = DueTimes.Never

  private var isReady = false
  private var isDone = false

  override def hasNext: Boolean = {
    while (!isReady && !isDone) {
      if (key != null && windows.next()) isReady = true
      else {
        endKey()
        isDone = !nextKey()
      }
    }
    isReady
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no window is left")
    isReady = false
    slots.result(key, windows.frame, windows.earlier, windows.later)
  }

  private def nextKey(): Boolean = {
    if (!round.hasNext && input.hasMore) {
      round = input.next()
      closed = if (input.hasMore) after else until
    }
    if (round.hasNext) readInput() else readHead()
    if (key != null) windows.start(frames, after, closed, frames.chunkCount)
    key != null
  }

  private def readInput(): Unit = {
    val group = round.next()
    key = group.getKey
    frames.begin(key, store.get(key))
    frames.merge(group.getValue)
  }

  private def readHead(): Unit = {
    key = null
    closed = until
    while (key == null && heads.hasNext) {
      val head = heads.next()
      // Keys whose windows are already emitted were written with the end of their last window.
      if (frames.isOpen(head.value, until)) {
        key = head.key.copy()
        frames.begin(key, head.value)
      } else earliest = math.min(earliest, frames.nextEnd(head.value, until))
    }
  }

  private def endKey(): Unit =
    if (key != null) {
      if (frames.mustWrite || frames.isDead(closed)) frames.write(closed)
      // Keys of other rounds than the last are looked at again.
      if (closed == until) earliest = math.min(earliest, frames.nextEnd(closed))
    }
}

private object FrameWindowIterator {

  private val SmallestChunk = 32

  /**
   * A head, which is read and written in each batch, has one entry for each chunk of a window, and
   * on average the entries of 1.5 chunks that are open. The sum is smallest if the number of frames
   * in a chunk is about the square root of the number in a window. Windows of up to 64 frames need
   * no chunk.
   */
  def chunkFrames(grid: FrameGrid): Int = {
    val root = math.sqrt(grid.framesInWindow.toDouble).toInt
    math.max(SmallestChunk, Integer.highestOneBit(root))
  }
}
