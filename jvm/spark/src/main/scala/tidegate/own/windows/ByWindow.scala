package tidegate.own.windows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.Saturating
import tidegate.core.window.{FrameCursor, FrameGrid}
import tidegate.own.StateRows
import tidegate.own.aggregates.{FrameList, FramePlaces, FrameStore}
import tidegate.statistics.DueTimes

/**
 * A row for each key and window, of windows that do not overlap. The key of a row begins with the
 * number of its window, by which the rows of a window that closes are found: no other row is looked
 * at. Two windows may have the same number. Then a row has both, and the ends of its frames tell
 * which.
 */
private[own] final class ByWindow(
    store: StateRows,
    grid: FrameGrid,
    short: ShortRow,
    frames: KeyFrames,
    moved: MovedRows,
    ends: BatchEnds
) extends FramePlaces {
  private val searches = store.findsByPrefix && ends.areFew

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
  private def isNewWindow(number: Int): Boolean = store.findsByPrefix && {
    if (number != lastNumber) {
      lastNumber = number
      lastIsNew = known.getOrElseUpdate(
        number,
        known.size < ByWindow.MostKnown && !hasRows(number)
      )
    }
    lastIsNew
  }

  private def hasRows(number: Int): Boolean = store.hasPrefix(FrameStore.prefix(number))

  override def begin(key: UnsafeRow, row: UnsafeRow): Unit = frames.begin(key, row)

  override def end(closed: Long): Unit = frames.writeIfNeeded(closed)

  override def due: Iterator[UnsafeRowPair] =
    if (searches) ends.numbers.flatMap(n => store.withPrefix(FrameStore.prefix(n)))
    else store.rows.filter(row => FrameStore.hasNumber(row.key))

  override def nextEnd: Long =
    if (searches && FrameStore.rows(store).hasNext) ends.next(hasRows) else DueTimes.Never

  override def flush(): Unit = ()
}

private object ByWindow {

  /** Of how many windows a batch asks whether they are new. */
  private val MostKnown = 64
}

/**
 * The ends of the windows that close in a batch, and of those after them.
 *
 * @param after
 *   the end of the last window that was emitted before this batch
 * @param until
 *   the end of the last window that is due
 */
private[own] final class BatchEnds(grid: FrameGrid, after: Long, until: Long) {
  import BatchEnds._

  /** Whether a look for each of them costs less than a walk over all rows. */
  val areFew: Boolean = until != FrameGrid.EndOfTime &&
    Saturating.subtract(until, after) / grid.slide <= MostSearches

  /** Their numbers in the state, if they are few. */
  def numbers: Iterator[Int] = Iterator
    .iterate(after)(Saturating.add(_, grid.slide))
    .drop(1)
    .takeWhile(end => end <= until && end != FrameGrid.EndOfTime)
    .map(grid.numberOf)

  /**
   * The first end after this batch whose number is in the state. If none of the next ones is, the
   * last of them, which is too early.
   */
  def next(isThere: Int => Boolean): Long =
    if (until == FrameGrid.EndOfTime) DueTimes.Never
    else {
      var end = Saturating.add(until, grid.slide)
      var looks = 1
      while (looks < FarthestLook && end != FrameGrid.EndOfTime && !isThere(grid.numberOf(end))) {
        end = Saturating.add(end, grid.slide)
        looks += 1
      }
      end
    }
}

private object BatchEnds {

  /** After a longer jump of time, most rows are due. */
  private val MostSearches = 1024L

  /** How many windows ahead are looked for. */
  private val FarthestLook = 64
}
