package tidegate.own.windows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.window.{FrameGrid, WindowMerge}
import tidegate.own.StateRows
import tidegate.own.aggregates.{EntrySlots, FrameAggregates, FrameInput, FramePlaces}
import tidegate.statistics.DueTimes

/**
 * The windows of one partition that are due in a batch, row by row of the state, and in order for
 * each of them. Each window is computed when it is asked for; a row is written when its last window
 * is emitted.
 *
 * First come the rows of the state to which the batch adds. If windows are due, all other rows with
 * such a window follow ([[FramePlaces]]). This mostly writes nothing: expired frames are removed by
 * the next write of their row, or when nothing of the row is left. If a batch is read in several
 * rounds, only the keys of the last round are sure to have all their rows; the others are found
 * with those that are due.
 *
 * @param rows
 *   keys, frame and buffers of the partial aggregation
 * @param after
 *   the end of the last window that was emitted before this batch
 * @param until
 *   the end of the last window that is due
 * @param isShort
 *   whether the rows of the state are short ones
 * @param restores
 *   whether the rows of the state may be where the windows of an earlier run had them
 * @param rootKey
 *   the key of the root of [[FarRows]]
 */
private[own] final class FrameWindowIterator(
    rows: Iterator[InternalRow],
    store: StateRows,
    aggregates: FrameAggregates,
    grid: FrameGrid,
    after: Long,
    until: Long,
    maxInputBytes: Long,
    isShort: Boolean,
    restores: Boolean,
    rootKey: UnsafeRow
) extends Iterator[InternalRow] {
  private val slots = EntrySlots(aggregates)
  private val short = Option.when(isShort)(new ShortRow(aggregates.entryType.size))
  private val frames = newFrames()
  private val places: FramePlaces = {
    val moved = new MovedRows(store, slots, () => newFrames(), rootKey, after)
    short match {
      case Some(row) if grid.isPlain =>
        new ByWindow(store, grid, row, frames, moved, new BatchEnds(grid, after, until))
      case _ =>
        new ByKey(
          store,
          grid,
          short,
          frames,
          moved,
          new FarRows(store, grid, rootKey, () => newFrames(), until)
        )
    }
  }
  private val windows = WindowMerge(grid, slots)

  if (restores) places.restore()

  private val input =
    new FrameInput(places.opened(), rows, aggregates, slots, maxInputBytes, places.locate(_, _))

  private var round = input.next()
  private var isFirstRound = true
  private var closed = if (input.hasMore) after else until
  private var key: UnsafeRow = _
  private lazy val dueRows: Iterator[UnsafeRowPair] =
    if (until > after) places.due else Iterator.empty

  private var nextEnd = DueTimes.Never

  /**
   * In µs, the end of the first window that is not out yet; it may be too early. In a batch in
   * which no window is due, only of the rows of the state to which the batch adds.
   */
  def earliest: Long = if (until > after) math.min(nextEnd, places.nextEnd) else nextEnd

  private def newFrames() = new KeyFrames(
    store,
    slots,
    grid,
    FrameWindowIterator.chunkFrames(grid),
    aggregates.entryType.size,
    aggregates.arePacked,
    short
  )

  private var isReady = false
  private var isDone = false

  override def hasNext: Boolean = {
    while (!isReady && !isDone) {
      if (key != null && windows.next()) isReady = true
      else {
        endKey()
        isDone = !nextKey()
        if (isDone) places.flush()
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
      isFirstRound = false
      closed = if (input.hasMore) after else until
    }
    if (round.hasNext) readInput() else readDue()
    if (key != null) windows.start(frames, after, closed, frames.chunkCount)
    key != null
  }

  private def readInput(): Unit = {
    val group = round.next()
    key = group.getKey
    places.begin(key, group.getValue, isFirstRound)
    frames.merge(group.getValue)
  }

  private def readDue(): Unit = {
    key = null
    closed = until
    while (key == null && dueRows.hasNext) {
      val row = dueRows.next()
      // Rows whose windows are already emitted were written with the end of their last window.
      if (frames.isOpen(row.value, until)) {
        key = row.key.copy()
        places.begin(key, row.value)
      } else nextEnd = math.min(nextEnd, frames.nextEnd(row.value, until))
    }
  }

  private def endKey(): Unit =
    if (key != null) {
      places.end(closed)
      // Keys of other rounds than the last are looked at again.
      if (closed == until) nextEnd = math.min(nextEnd, frames.nextEnd(closed))
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
