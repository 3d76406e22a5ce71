package tidegate.execution.frames

import tidegate.core.Saturating
import tidegate.core.window.FrameGrid

/**
 * The ends of the windows that close in a batch.
 *
 * @param after
 *   the end of the last window that was emitted before this batch
 * @param until
 *   the end of the last window that is due
 */
private[frames] final class BatchEnds(grid: FrameGrid, val after: Long, val until: Long) {
  import BatchEnds._

  /** Whether a look for each of them costs less than a walk over all rows. */
  val areFew: Boolean = until != FrameGrid.EndOfTime &&
    Saturating.subtract(until, after) / grid.slide <= MostSearches

  /** Their numbers in the state, if they are few. */
  def numbers: Iterator[Int] = between(after, until).map(grid.numberOf)

  /**
   * The first end after this batch whose number is in the state; if there is none near, a time up
   * to which there is none.
   */
  def next(isThere: Int => Boolean): Long = {
    val last = Saturating.add(until, MostLooks * grid.slide)
    between(until, last).find(end => isThere(grid.numberOf(end))).getOrElse(last)
  }

  private def between(after: Long, until: Long): Iterator[Long] =
    Iterator.iterate(after)(Saturating.add(_, grid.slide)).drop(1).takeWhile(_ <= until)
}

private object BatchEnds {

  /** After a longer jump of time, most rows are due. */
  private val MostSearches = 1024L

  private val MostLooks = 64L
}
