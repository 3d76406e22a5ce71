package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.aggregates.{BufferSlots, EntryArray}

/**
 * What the head of a key knows about its chunks, in the order of their frames. A chunk begins after
 * the last frame of the previous chunk, and ends with its own last frame.
 */
private[own] final class HeadChunks(slots: BufferSlots) {
  var ids: Array[Int] = new Array[Int](8)
  var firsts: Array[Long] = new Array[Long](8)
  var ends: Array[Long] = new Array[Long](8)

  /** The place of each chunk's entries, merged into one entry. */
  var places: Array[Int] = new Array[Int](8)
  var size: Int = 0

  /** Lower numbers belong to rows of the state that are not listed here. */
  private var firstFreeId = 0

  def clear(): Unit = {
    (0 until size).foreach(i => slots.release(places(i)))
    size = 0
    firstFreeId = 0
  }

  /** Reserves the numbers below `below`. */
  def reserveIds(below: Int): Unit = firstFreeId = below

  /** The first chunk that reaches to `frame` or further; `size` if there is none. */
  def indexFrom(frame: Long): Int = {
    val i = java.util.Arrays.binarySearch(ends, 0, size, frame)
    if (i < 0) -i - 1 else i
  }

  /**
   * Adds a chunk without frames before the chunk at `i`.
   *
   * @param isFree
   *   whether the state has no chunk of the key with a number
   */
  def insert(i: Int, isFree: Int => Boolean): Unit = {
    var id = (0 until size).foldLeft(firstFreeId)((next, j) => math.max(next, ids(j) + 1))
    while (!isFree(id)) id += 1
    add(i, id, 0L, 0L)
  }

  /** Reads the chunks of a head. */
  def readAll(row: UnsafeRow, merged: EntryArray): Unit = {
    val (rowIds, rowEnds) = (row.getArray(FrameRow.ChunkIds), row.getArray(FrameRow.ChunkEnds))
    var i = 0
    while (i < merged.size) {
      add(i, rowIds.getInt(i), merged.frame(i), rowEnds.getLong(i))
      slots.load(merged, i, places(i))
      i += 1
    }
  }

  private def add(i: Int, id: Int, first: Long, end: Long): Unit = {
    if (size == ids.length) grow()
    (size - 1 to i by -1).foreach(j => move(j, j + 1))
    ids(i) = id
    firsts(i) = first
    ends(i) = end
    places(i) = slots.allocate()
    size += 1
  }

  private def move(from: Int, to: Int): Unit = {
    ids(to) = ids(from)
    firsts(to) = firsts(from)
    ends(to) = ends(from)
    places(to) = places(from)
  }

  private def grow(): Unit = {
    ids = java.util.Arrays.copyOf(ids, size * 2)
    firsts = java.util.Arrays.copyOf(firsts, size * 2)
    ends = java.util.Arrays.copyOf(ends, size * 2)
    places = java.util.Arrays.copyOf(places, size * 2)
  }
}
