package tidegate.own.aggregates

/** Frames in ascending order, and the places of their entries, which it owns. */
private[own] final class FrameList(slots: BufferSlots, initialCapacity: Int = 64) {
  var frames: Array[Long] = new Array[Long](initialCapacity)
  var places: Array[Int] = new Array[Int](initialCapacity)
  var size: Int = 0
  private var isSorted = true

  def last: Long = frames(size - 1)

  def clear(): Unit = dropFirst(size)

  /** Releases the first `n` entries. */
  def dropFirst(n: Int): Unit = {
    (0 until n).foreach(i => slots.release(places(i)))
    forgetFirst(n)
  }

  /** The number of frames before `frame`. */
  def indexFrom(frame: Long): Int = {
    val i = java.util.Arrays.binarySearch(frames, 0, size, frame)
    if (i < 0) -i - 1 else i
  }

  /** Appends the entries of a row of the state, which are in order and after all present frames. */
  def readAll(entries: EntryArray): Unit = {
    var i = 0
    while (i < entries.size) {
      slots.load(entries, i, insert(size, entries.frame(i)))
      i += 1
    }
  }

  /**
   * The number of frames up to and including `frame`; searched from the end, as `frame` is mostly
   * one of the last.
   */
  def indexBehind(frame: Long): Int = {
    var i = size
    while (i > 0 && frames(i - 1) > frame) i -= 1
    i
  }

  /** Makes a place for a frame at the end, even if the frame is earlier than others: see `sort`. */
  def append(frame: Long): Int = {
    isSorted &&= size == 0 || frame >= last
    insert(size, frame)
  }

  /** Puts the frames in order after appending; equal frames keep their order. */
  def sort(): Unit = if (!isSorted) {
    val order = (0 until size).sortBy(frames(_)).toArray
    frames = order.map(frames(_))
    places = order.map(places(_))
    isSorted = true
  }

  /** Makes a place for a frame at `i`. */
  def insert(i: Int, frame: Long): Int = {
    insert(i, frame, slots.allocate())
    places(i)
  }

  /** Inserts a frame at `i`, and takes over its entry. */
  def insert(i: Int, frame: Long, place: Int): Unit = {
    if (size == frames.length) {
      frames = java.util.Arrays.copyOf(frames, size * 2)
      places = java.util.Arrays.copyOf(places, size * 2)
    }
    if (i < size) {
      System.arraycopy(frames, i, frames, i + 1, size - i)
      System.arraycopy(places, i, places, i + 1, size - i)
    }
    frames(i) = frame
    places(i) = place
    size += 1
  }

  /** Releases `n` entries from `i` on. */
  def remove(i: Int, n: Int): Unit = {
    (i until i + n).foreach(j => slots.release(places(j)))
    System.arraycopy(frames, i + n, frames, i, size - i - n)
    System.arraycopy(places, i + n, places, i, size - i - n)
    size -= n
  }

  /** Forgets the first `n` entries, which someone else has taken over. */
  def forgetFirst(n: Int): Unit = {
    System.arraycopy(frames, n, frames, 0, size - n)
    System.arraycopy(places, n, places, 0, size - n)
    size -= n
  }
}
