package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.window.FrameGrid
import tidegate.statistics.DueTimes

/**
 * A row for each key and window, of windows that do not overlap. The key of a row begins with the
 * number of its window, by which the rows of a window that closes are found: no other row is looked
 * at. Two windows may have the same number. Then a row has both, and the ends of its frames tell
 * which.
 */
private[frames] final class ByWindow(
    store: FrameStore,
    grid: FrameGrid,
    short: ShortRow,
    frames: KeyFrames,
    moved: MovedRows,
    ends: BatchEnds
) extends FramePlaces {
  private val searches = store.findsByNumber && ends.areFew

  override def restore(): Unit =
    moved.run(locate(_, _))((key, row) =>
      !FrameStore.hasNumber(key) || short.long(row) != null ||
        FrameStore.numberOf(key) != grid.numberOf(short.end(row))
    )

  override def locate(key: UnsafeRow, frame: Long): Unit =
    FrameStore.setNumber(key, grid.numberOf(grid.lastEndOver(frame)))

  override def begin(key: UnsafeRow): Unit = begin(key, store.get(key))

  override def begin(key: UnsafeRow, row: UnsafeRow): Unit = frames.begin(key, row)

  override def end(closed: Long): Unit = frames.writeIfNeeded(closed)

  override def due: Iterator[UnsafeRowPair] =
    if (searches) ends.numbers.flatMap(store.rows(_))
    else store.rows.filter(row => FrameStore.hasNumber(row.key))

  override def nextEnd: Long =
    if (searches && store.rows.hasNext) ends.next(store.rows(_).hasNext) else DueTimes.Never
}
