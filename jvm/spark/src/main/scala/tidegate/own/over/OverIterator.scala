package tidegate.own.over

import java.util.LinkedHashMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import tidegate.core.due.DueKeys
import tidegate.own.StateRows
import tidegate.own.rows.RowBytes

/**
 * The rows of a partition with the results of the functions over the rows before them.
 *
 * The rows of one time are read together, as they are in the frames of each other. Keys are in
 * memory from their first row in the batch on, and are written when the last row has left, or when
 * they take too much memory.
 *
 * @param rows
 *   in the order of their times, after those without a time
 * @param timeOf
 *   the time of a row, as the only column
 * @param keyOf
 *   the key of a row in the state
 * @param toRow
 *   makes the output of a row and the results of all frames
 */
private[over] final class OverIterator(
    rows: Iterator[UnsafeRow],
    frames: Array[FrameValues],
    timeOf: UnsafeProjection,
    keyOf: UnsafeProjection,
    toRow: UnsafeProjection,
    fields: Int,
    past: PastStore
) extends Iterator[InternalRow] {
  private val group = new RowBytes(mostKept = OverIterator.MostKept)
  private val hasPeers = frames.exists(_.frame.isInstanceOf[OverRange])
  private var keys = new Array[PastRows](16)
  private var time = 0L
  private var hasTime = false
  private var place = 0

  /** The first row after those of the group; null if it is not read yet, or if there is none. */
  private var ahead: UnsafeRow = _
  private val row = new UnsafeRow(fields)
  private val joined = Array.fill(frames.length)(new JoinedRow)
  private var isFinished = false

  override def hasNext: Boolean = {
    if (place == group.size) readGroup()
    val has = place < group.size
    if (!has && !isFinished) {
      isFinished = true
      past.finish()
    }
    has
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no row is left")
    group.point(place, row)
    val key = keys(place)
    place += 1
    if (hasTime) key.moveTo(time, row)
    var all: InternalRow = row
    var i = 0
    while (i < frames.length) {
      all = joined(i)(all, if (hasTime) key.result(i) else frames(i).result())
      i += 1
    }
    toRow(all)
  }

  private def readGroup(): Unit = {
    group.clear()
    place = 0
    past.writeIfLarge()
    if (ahead == null && rows.hasNext) ahead = rows.next()
    if (ahead != null) {
      see(ahead)
      val (isTimed, micros) = (hasTime, time)
      take(ahead)
      ahead = null
      while (hasPeers && ahead == null && rows.hasNext) {
        val other = rows.next()
        see(other)
        if (isTimed && hasTime && time == micros) take(other) else ahead = other.copy()
      }
      hasTime = isTimed
      time = micros
    }
  }

  private def see(row: UnsafeRow): Unit = {
    val t = timeOf(row)
    hasTime = !t.isNullAt(0)
    time = if (hasTime) t.getLong(0) else 0L
  }

  private def take(row: UnsafeRow): Unit = {
    if (group.size == keys.length) keys = java.util.Arrays.copyOf(keys, 2 * keys.length)
    if (hasTime) {
      val key = past.of(keyOf(row))
      keys(group.size) = key
      key.addPeer(time, row)
    }
    group.add(row)
  }
}

private object OverIterator {

  /** A group of rows of one time with more bytes gives its memory back. */
  private val MostKept = 16 * 1024 * 1024
}

/**
 * The past of the keys of a partition, in memory and in the state.
 *
 * @param keptMicros
 *   how long after its last row a key is kept; none if for ever
 * @param until
 *   up to which time, in µs, keys leave
 */
private[over] final class PastStore(
    store: StateRows,
    due: DueKeys[UnsafeRow],
    frames: Array[FrameValues],
    keptMicros: Option[Long],
    until: Long
) {
  private val keys = new LinkedHashMap[UnsafeRow, PastRows]
  private val writer = new PastRow.Writer(frames.length)
  private val chunks = new ChunkStore(store, frames.length)

  /** How many values the keys in memory have had, at least. */
  private var values = 0L

  /** The past of a key, which is written again later. */
  def of(key: UnsafeRow): PastRows = {
    values += frames.length
    val known = keys.get(key)
    if (known != null) known
    else {
      val owned = key.copy()
      val past = new PastRows(owned, frames, chunks, keptMicros)
      val head = store.get(owned)
      if (head != null) past.read(head)
      values += past.size
      keys.put(owned, past)
      past
    }
  }

  def writeIfLarge(): Unit = if (values > PastStore.MostValues) write()

  /** Writes all keys, and removes those that are kept no longer. */
  def finish(): Unit = {
    write()
    due.takeUpTo(until).foreach { entry =>
      val row = store.get(entry.key)
      if (row != null && PastRow.lookAt(row) == entry.due) {
        val leaves = PastRows.leavesAt(row.getLong(PastRow.Last), keptMicros)
        if (leaves <= until) remove(entry.key.copy(), row)
        else {
          val later = row.copy()
          PastRow.setLookAt(later, leaves)
          store.put(entry.key, later, isNew = false)
          if (keptMicros.isDefined) due.add(entry.key, leaves)
        }
      }
    }
    due.flush()
  }

  private def remove(key: UnsafeRow, head: UnsafeRow): Unit = {
    val past = new PastRows(key, frames, chunks, keptMicros)
    past.read(head)
    past.forget()
    store.remove(key)
  }

  private def write(): Unit = {
    keys.forEach { (key, past) =>
      past.toLookAt().foreach(due.add(key, _))
      store.put(key, past.write(writer), isNew = !past.isStored)
    }
    keys.clear()
    values = 0
  }
}

private object PastStore {

  /** With more values in memory, those of the rows of one time aside, keys are written. */
  private val MostValues = 1024 * 1024
}
