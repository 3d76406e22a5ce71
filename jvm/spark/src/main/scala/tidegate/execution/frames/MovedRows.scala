package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.window.FrameCursor

/**
 * Brings rows that an earlier run has written for other windows to where they belong now. The move
 * is part of the first batch of a run, so it is done as a whole or not at all.
 *
 * @param from
 *   for the row that is moved
 * @param to
 *   for the rows to which its frames go
 * @param closed
 *   the end of the last window that is out
 */
private[frames] final class MovedRows(
    store: FrameStore,
    slots: BufferSlots,
    from: KeyFrames,
    to: KeyFrames,
    closed: Long
) {
  private val together = new FrameList(slots)

  /**
   * Moves the frames of all rows that are elsewhere to where `locate` says. The rows of a state are
   * all of the same windows, so the first one tells whether there are such rows.
   */
  def run(locate: FrameInput.Locate)(isElsewhere: (UnsafeRow, UnsafeRow) => Boolean): Unit =
    if (store.rows.take(1).exists(row => isElsewhere(row.key, row.value)))
      store.rows
        // The chunks of a key move with its head.
        .filter(row => !FrameStore.isChunk(row.key) && isElsewhere(row.key, row.value))
        .map(row => (row.key.copy(), row.value.copy()))
        .foreach { case (key, row) => move(key, row, locate) }

  private def move(key: UnsafeRow, row: UnsafeRow, locate: FrameInput.Locate): Unit = {
    from.begin(key, row)
    from.seek(Long.MinValue)
    var target = key
    while (from.frame != FrameCursor.End) {
      val place = key.copy()
      locate(place, from.frame)
      if (place != target) flush(target)
      target = place
      slots.copy(from.slot, together.insert(together.size, from.frame))
      from.advance()
    }
    flush(target)
    from.remove()
  }

  private def flush(target: UnsafeRow): Unit = if (together.size > 0) {
    to.begin(target, store.get(target))
    to.merge(together)
    together.forgetFirst(together.size)
    to.writeIfNeeded(closed)
  }
}
