package tidegate.own.windows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.window.{FrameCursor, FrameGrid}
import tidegate.own.aggregates.{FrameList, FramePlaces, FrameStore}
import tidegate.statistics.DueTimes

/**
 * A row for each key and window, of windows that do not overlap. The key of a row begins with the
 * number of its window, by which the rows of a window that closes are found: no other row is looked
 * at. Two windows may have the same number. Then a row has both, and the ends of its frames tell
 * which.
 */
private[own] final class ByWindow(
    store: FrameStore,
    grid: FrameGrid,
    short: ShortRow,
    frames: KeyFrames,
    moved: MovedRows,
    ends: BatchEnds
) extends FramePlaces {
  private val searches = store.findsByNumber && ends.areFew

  // Whether windows of this batch are new, by their numbers.
  private val known = mutable.Map.empty[Int, Boolean]
  private var lastNumber = FrameStore.NoNumber
  private var lastIsNew = false

  override def restore(): Unit =
    moved.run(locate(_, _))((key, row) =>
      !FrameStore.hasNumber(key) || short.long(row) != null ||
        FrameStore.numberOf(key) != grid.numberOf(short.end(row))
    )

  override def opened(): Iterator[(UnsafeRow, FrameCursor)] = Iterator.empty

  override def locate(key: UnsafeRow, frame: Long): Unit =
    FrameStore.setNumber(key, grid.numberOf(grid.lastEndOver(frame)))

  override def begin(key: UnsafeRow, added: FrameList, isFirst: Boolean): Unit = {
    val isNew = isFirst && isNewWindow(FrameStore.numberOf(key))
    begin(key, if (isNew) null else store.get(key))
  }

  /**
   * Whether the state had no row of a window when the batch came to its first row of the window:
   * then no row has to be looked up. One look for a window costs as much as a few look-ups of rows.
   */
  private def isNewWindow(number: Int): Boolean = store.findsByNumber && {
    if (number != lastNumber) {
      lastNumber = number
      lastIsNew = known.getOrElseUpdate(
        number,
        known.size < ByWindow.MostKnown && !store.hasRows(number)
      )
    }
    lastIsNew
  }

  override def begin(key: UnsafeRow, row: UnsafeRow): Unit = frames.begin(key, row)

  override def end(closed: Long): Unit = frames.writeIfNeeded(closed)

  override def due: Iterator[UnsafeRowPair] =
    if (searches) ends.numbers.flatMap(store.rows(_))
    else store.rows.filter(row => FrameStore.hasNumber(row.key))

  override def nextEnd: Long =
    if (searches && store.rows.hasNext) ends.next(store.hasRows) else DueTimes.Never

  override def flush(): Unit = ()
}

private object ByWindow {

  /** Of how many windows a batch asks whether they are new. */
  private val MostKnown = 64
}
