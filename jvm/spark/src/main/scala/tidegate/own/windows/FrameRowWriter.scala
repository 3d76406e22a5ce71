package tidegate.own.windows

import tidegate.core.window.FrameGrid
import tidegate.own.aggregates.StateRowWriter

/** Writes rows as [[FrameRow]] describes them. */
private[own] final class FrameRowWriter(grid: FrameGrid, entryFields: Int)
    extends StateRowWriter(FrameRow.Columns, entryFields, shift = 0L) {

  /** Begins a row. */
  def begin(closed: Long): Unit = {
    begin()
    setLong(FrameRow.Closed, FrameRow.closed(closed))
    setLong(FrameRow.Slide, grid.slide)
    setLong(FrameRow.Offset, grid.offset)
    setLong(FrameRow.Size, grid.size)
  }
}
