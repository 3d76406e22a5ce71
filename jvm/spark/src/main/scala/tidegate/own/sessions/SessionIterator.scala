package tidegate.own.sessions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.due.{DueEntry, DueKeys}
import tidegate.core.window.Slots
import tidegate.own.StateRows
import tidegate.own.aggregates.{EntrySlots, FrameAggregates, FrameInput}

/**
 * The sessions of one partition that close in a batch, key by key, and in order for each key. A
 * session is evaluated when it is asked for; a key is written after its last one.
 *
 * First come the keys with rows in this batch, then the keys that are due. No other key is read. If
 * a batch is read in several rounds, only the keys of the last round are sure to have all their
 * rows; the others close when they are found to be due.
 *
 * @param rows
 *   keys, start, end and buffers of the partial aggregation
 * @param due
 *   which keys are looked at, and when
 * @param until
 *   sessions close that end at or before this time, in µs
 * @param lookBy
 *   in µs, when a key of this batch is looked at at the latest
 */
private[own] final class SessionIterator(
    rows: Iterator[InternalRow],
    store: StateRows,
    due: DueKeys[UnsafeRow],
    aggregates: FrameAggregates,
    until: Long,
    lookBy: Long,
    maxInputBytes: Long
) extends Iterator[InternalRow] {
  private val slots = EntrySlots(aggregates)
  private val sessions = new KeySessions(
    store,
    slots,
    aggregates.entryType.size,
    aggregates.arePacked,
    SessionIterator.ChunkSize,
    lookBy
  )
  private val input =
    new FrameInput(Iterator.empty, rows, aggregates, slots, maxInputBytes, (_, _) => ())

  private var round = input.next()
  private var key: UnsafeRow = _
  private lazy val dueKeys: Iterator[DueEntry[UnsafeRow]] = due.takeUpTo(until)

  private var place = Slots.NoSlot
  private var isDone = false

  override def hasNext: Boolean = {
    while (place == Slots.NoSlot && !isDone) {
      if (key != null) place = sessions.closeNext(closing)
      if (place == Slots.NoSlot) {
        endKey()
        isDone = !nextKey()
      }
    }
    if (isDone) due.flush()
    !isDone
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no session is left")
    val result = slots.result(key, sessions.closedStart, place, Slots.NoSlot)
    place = Slots.NoSlot
    result
  }

  /** Up to when sessions of the key may close: not before all of its rows are there. */
  private def closing: Long = if (input.hasMore) Long.MinValue else until

  private def nextKey(): Boolean = {
    key = null
    if (!round.hasNext && input.hasMore) round = input.next()
    if (round.hasNext) {
      val group = round.next()
      key = group.getKey
      sessions.begin(key, store.get(key))
      sessions.merge(group.getValue)
    } else while (key == null && dueKeys.hasNext) look(dueKeys.next())
    key != null
  }

  /** Ignores a key that is gone, or that is to be looked at another time. */
  private def look(entry: DueEntry[UnsafeRow]): Unit = {
    val head = store.get(entry.key)
    if (head != null && sessions.lookAtOf(head) == entry.due) {
      key = entry.key.copy()
      sessions.begin(key, head)
    }
  }

  private def endKey(): Unit =
    if (key != null && sessions.write(closing)) due.add(key, sessions.lookAt)
}

private object SessionIterator {

  /** A head has up to twice as many sessions. */
  private val ChunkSize = 32
}
