package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.Saturating
import tidegate.core.window.FrameGrid
import tidegate.statistics.DueTimes

/**
 * A row for each key, its head, and chunks. Windows overlap, so a key that is held has a window at
 * each end: all heads are walked over when one closes.
 *
 * This does not hold for keys whose rows are far ahead of the watermark. A walk that finds such a
 * key lets it ''wait'': its head gets another key, and a ''note'' of the end of its first window
 * has the number of this end in its key. When the window closes, the note is found, and the head
 * goes back.
 *
 * | row             | number in its key           | what it has                                |
 * |:----------------|:----------------------------|:-------------------------------------------|
 * | head            | NULL                        | the frames after the chunks                |
 * | chunk           | 0 or more                   | sealed frames                              |
 * | head that waits | -1                          | as another head                            |
 * | note            | of an end of a window: < -1 | no frames; this end in the column `closed` |
 */
private[frames] final class ByKey(
    store: FrameStore,
    grid: FrameGrid,
    short: Option[ShortRow],
    frames: KeyFrames,
    moved: MovedRows,
    ends: BatchEnds
) extends FramePlaces {
  private val searches = store.findsByNumber && ends.areFew

  /** Whether a key waits. Most states never have one. */
  private lazy val hadWaiting = store.findsByNumber && store.hasRows(FrameStore.Waiting)
  private var hasWaiting = false

  /** The first window of a key that waits; otherwise `DueTimes.Never`. */
  private var waitsFor = DueTimes.Never

  override def restore(): Unit = {
    short.foreach(s => moved.run(locate(_, _))((key, row) => isOfWindow(s, key, row)))
    val waiting =
      if (store.findsByNumber) store.rows(FrameStore.Waiting)
      else store.rows.filter(row => FrameStore.isWaiting(row.key))
    // The numbers in notes are those of the windows of an earlier run, as is the grid of the heads.
    if (waiting.take(1).exists(row => !store.findsByNumber || !frames.isOfToday(row.value)))
      store.rows
        .filter(row => FrameStore.hasNumber(row.key))
        .map(row => (row.key.copy(), row.value.copy()))
        .foreach { case (key, row) =>
          if (FrameStore.isWaiting(key)) store.put(FrameStore.headKey(key), row, isNew = true)
          store.remove(key)
        }
  }

  private def isOfWindow(short: ShortRow, key: UnsafeRow, row: UnsafeRow): Boolean =
    FrameStore.hasNumber(key) && short.long(row) == null

  override def locate(key: UnsafeRow, frame: Long): Unit = FrameStore.setHead(key)

  override def begin(key: UnsafeRow, isFirst: Boolean): Unit = {
    val head = store.get(key)
    if (head == null && (hasWaiting || hadWaiting)) {
      val waiting = FrameStore.numbered(key, FrameStore.Waiting)
      val row = store.get(waiting)
      if (row == null) begin(key, null) else begin(waiting, row)
    } else begin(key, head)
  }

  override def begin(key: UnsafeRow, row: UnsafeRow): Unit = {
    frames.begin(key, row)
    waitsFor = if (FrameStore.isWaiting(key)) frames.nextEnd(ends.after) else DueTimes.Never
  }

  override def end(closed: Long): Unit = {
    val next = frames.nextEnd(closed)
    if (waitsFor != DueTimes.Never) {
      if (next != waitsFor) waitNoMore()
    } else if (!frames.mustWrite && next != DueTimes.Never && isFar(next)) waitFor(next)
    frames.writeIfNeeded(closed)
  }

  private def isFar(end: Long): Boolean = store.findsByNumber &&
    Saturating.subtract(end, ends.until) / grid.slide > ByKey.MostInVain

  private def waitFor(end: Long): Unit = {
    val key = frames.rowKey
    store.put(FrameStore.numbered(key, grid.numberOf(end)), frames.note(end), isNew = true)
    frames.moveTo(FrameStore.numbered(key, FrameStore.Waiting))
    hasWaiting = true
  }

  private def waitNoMore(): Unit = {
    val key = frames.rowKey
    store.remove(FrameStore.numbered(key, grid.numberOf(waitsFor)))
    frames.moveTo(FrameStore.headKey(key))
  }

  override def due: Iterator[UnsafeRowPair] = waitingAndDue ++ store.heads

  private def waitingAndDue: Iterator[UnsafeRowPair] =
    if (!hadWaiting) Iterator.empty
    else {
      val notes =
        if (searches) ends.numbers.flatMap(store.rows(_))
        else
          store.rows.filter(row =>
            FrameStore.hasNumber(row.key) && !FrameStore.isWaiting(row.key) &&
              frames.timeOf(row.value) <= ends.until
          )
      val pair = new UnsafeRowPair
      notes.flatMap { note =>
        val waiting = FrameStore.numbered(note.key, FrameStore.Waiting)
        // Windows may share a number, so this may be the note of another window.
        Option(store.get(waiting)).map(pair.withRows(waiting, _))
      }
    }

  override def nextEnd: Long =
    if (hadWaiting || hasWaiting) ends.next(store.hasRows) else DueTimes.Never
}

private object ByKey {

  /** How often a key may be looked at in vain: to let it wait costs as much as some looks. */
  private val MostInVain = 32L
}
