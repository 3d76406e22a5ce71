package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.window.{FrameCursor, FrameGrid}
import tidegate.own.StateRows
import tidegate.own.aggregates.{FrameInput, FrameList, FramePlaces, FrameStore}

/**
 * A row for each key, its head, and chunks. Windows overlap, so a key with a head has a window at
 * most ends: all heads are walked over when one closes.
 *
 * Keys whose rows are all far ahead of the watermark have no head. They have [[FarRows]], which no
 * walk reads, until their first window is due. A key with a head has all that comes there. A walk
 * makes a head a far row if the next window of the key is far ahead.
 *
 * | row     | number in its key         | what it has                    |
 * |:--------|:--------------------------|:-------------------------------|
 * | head    | NULL                      | the frames after the chunks    |
 * | far row | that of its bucket, < -1  | as a head                      |
 * | chunk   | 0 or more                 | sealed frames of one of them   |
 * | root    | the second largest number | the buckets that have far rows |
 */
private[own] final class ByKey(
    store: StateRows,
    grid: FrameGrid,
    short: Option[ShortRow],
    frames: KeyFrames,
    moved: MovedRows,
    newFar: => FarRows
) extends FramePlaces {

  // After all rows are at their places.
  private lazy val far = newFar

  /** The first frame of a far row as the root knows it; none if the row is new. */
  private var listed = Option.empty[Long]

  override def restore(): Unit = {
    short.foreach(s => moved.run(toHead)((key, row) => isOfWindow(s, key, row)))
    // Frames of changed windows end elsewhere. And not every store finds far rows.
    val root = moved.root
    if (root != null && (!store.findsByPrefix || !frames.isOfToday(root)))
      moved.all(toHead)((key, _) => FrameStore.hasNumber(key))
  }

  private def toHead: FrameInput.Locate = (key, _) => FrameStore.setHead(key)

  private def isOfWindow(short: ShortRow, key: UnsafeRow, row: UnsafeRow): Boolean =
    FrameStore.hasNumber(key) && short.long(row) == null

  override def opened(): Iterator[(UnsafeRow, FrameCursor)] = far.open()

  override def locate(key: UnsafeRow, frame: Long): Unit = FrameStore.setHead(key)

  override def begin(key: UnsafeRow, added: FrameList, isFirst: Boolean): Unit = {
    val head = store.get(key)
    val number =
      if (head != null) FarRows.Near
      else far.numberFor(grid.firstEndOver(added.frames(0)))
    if (number == FarRows.Near) begin(key, head)
    else {
      val farKey = FrameStore.numbered(key, number)
      val isThere = !isFirst || far.mayHave(number)
      frames.begin(farKey, if (isThere) store.get(farKey) else null)
      listed = Option.when(frames.isThere)(frames.first)
    }
  }

  override def begin(key: UnsafeRow, row: UnsafeRow): Unit = frames.begin(key, row)

  override def end(closed: Long): Unit = {
    if (!FrameStore.isHead(frames.rowKey)) {
      if (listed.forall(frames.first < _)) far.add(grid.firstEndOver(frames.first))
    } else if (!frames.mustWrite) makeFar(closed)
    frames.writeIfNeeded(closed)
  }

  /** Makes a head a far row, if it is not due for a while. */
  private def makeFar(closed: Long): Unit = {
    val end = frames.nextEnd(closed)
    val number = if (frames.isDead(closed)) FarRows.Near else far.numberFor(end)
    if (number != FarRows.Near) {
      val key = FrameStore.numbered(frames.rowKey, number)
      // If the key has such a row, the head stays.
      if (store.get(key) == null) {
        frames.trim(closed)
        frames.moveTo(key)
        far.add(end)
      }
    }
  }

  override def due: Iterator[UnsafeRowPair] = FrameStore.heads(store)

  override def nextEnd: Long = far.earliest

  override def flush(): Unit = far.flush()
}
