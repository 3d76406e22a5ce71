package tidegate.own.windows

import tidegate.core.Saturating
import tidegate.core.window.FrameGrid
import tidegate.statistics.DueTimes

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
