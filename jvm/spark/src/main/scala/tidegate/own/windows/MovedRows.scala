package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.window.FrameCursor
import tidegate.own.StateRows
import tidegate.own.aggregates.{BufferSlots, FrameInput, FrameList, FrameStore}

/**
 * Brings rows that an earlier run has written for other windows to where they belong now. The move
 * is part of a batch, so it is done as a whole or not at all.
 *
 * @param newFrames
 *   makes the frames of a row of the state
 * @param rootKey
 *   the key of the root of [[FarRows]]
 * @param closed
 *   the end of the last window that is out
 */
private[own] final class MovedRows(
    store: StateRows,
    slots: BufferSlots,
    newFrames: () => KeyFrames,
    rootKey: UnsafeRow,
    closed: Long
) {

  /** The root of far rows that an earlier run has left; null if there is none. */
  def root: UnsafeRow = store.get(rootKey)

  /**
   * Moves the frames of all rows that are elsewhere to where `locate` says. All rows of a state are
   * of the same windows, so the first one tells whether there are such rows.
   */
  def run(locate: FrameInput.Locate)(isElsewhere: (UnsafeRow, UnsafeRow) => Boolean): Unit =
    if (FrameStore.rows(store).take(1).exists(row => isElsewhere(row.key, row.value)))
      all(locate)(isElsewhere)

  /** The same, where other rows may come first. Afterwards there are no far rows, and no root. */
  def all(locate: FrameInput.Locate)(isElsewhere: (UnsafeRow, UnsafeRow) => Boolean): Unit = {
    val move = new Move(locate, isElsewhere)
    // The chunks of a key move with its head.
    FrameStore.rows(store).map(_.key.copy()).filterNot(FrameStore.isChunk).foreach(move.row)
    if (root != null) store.remove(rootKey)
  }

  private final class Move(
      locate: FrameInput.Locate,
      isElsewhere: (UnsafeRow, UnsafeRow) => Boolean
  ) {
    private val (from, to) = (newFrames(), newFrames())
    private val together = new FrameList(slots)

    /** Moves the frames of a row, if it is elsewhere. */
    def row(key: UnsafeRow): Unit = {
      val row = store.get(key)
      if (row != null && isElsewhere(key, row)) {
        from.begin(key, row.copy())
        // First, because the place of a frame may have the same key by chance.
        store.remove(key)
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
        from.removeChunks()
      }
    }

    private def flush(target: UnsafeRow): Unit = if (together.size > 0) {
      val there = store.get(target)
      // Windows of an earlier run may share a number with windows of today.
      if (there != null && isElsewhere(target, there)) new Move(locate, isElsewhere).row(target)
      to.begin(target, store.get(target))
      to.merge(together)
      together.forgetFirst(together.size)
      to.writeIfNeeded(closed)
    }
  }
}
