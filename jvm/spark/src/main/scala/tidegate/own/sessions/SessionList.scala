package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.aggregates.{BufferSlots, EntryArray, FrameList}

/**
 * Sessions of one key in the order of their times. They do not touch, because sessions that touch
 * are merged: as in Spark, also where one begins exactly when the other ends.
 */
private[own] final class SessionList(slots: BufferSlots) {
  private val entries = new FrameList(slots)

  def size: Int = entries.size

  /** In µs. */
  def start(i: Int): Long = entries.frames(i)

  /** In µs. */
  def end(i: Int): Long = slots.firstBuffer(entries.places(i))

  def place(i: Int): Int = entries.places(i)

  def places: Array[Int] = entries.places

  def clear(): Unit = entries.clear()

  /** Releases the first `n` sessions. */
  def dropFirst(n: Int): Unit = if (n > 0) entries.dropFirst(n)

  /** Appends the sessions of a row of the state, which begin after those that are here. */
  def readAll(array: EntryArray): Unit = entries.readAll(array)

  /** Reads the session in the first columns of a row of the state; no session is here. */
  def read(row: UnsafeRow): Unit =
    slots.loadColumns(row, 0, entries.insert(0, row.getLong(0)))

  /** Takes over all sessions of another list, which begin after those that are here. */
  def takeAll(other: SessionList): Unit = {
    (0 until other.size).foreach(i => entries.insert(size, other.start(i), other.place(i)))
    other.entries.forgetFirst(other.size)
  }

  /** Adds a session with what it touches; takes over its entry. */
  def add(start: Long, place: Int): Unit = {
    val before = entries.indexBehind(start) - 1
    if (before >= 0 && start <= end(before)) {
      slots.merge(this.place(before), place, this.place(before))
      slots.release(place)
      mergeFollowing(before)
    } else {
      entries.insert(before + 1, start, place)
      mergeFollowing(before + 1)
    }
  }

  private def mergeFollowing(i: Int): Unit = {
    val last = end(i)
    // The end of the session may be that of the last one that is merged, which touches no other.
    val touched = Iterator.from(i + 1).takeWhile(j => j < size && start(j) <= last).size
    (i + 1 to i + touched).foreach(j => slots.merge(place(i), place(j), place(i)))
    if (touched > 0) entries.remove(i + 1, touched)
  }
}
