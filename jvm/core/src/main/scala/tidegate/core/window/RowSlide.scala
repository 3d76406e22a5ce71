package tidegate.core.window

/**
 * The values of the rows of one key, in order, of which those in the frame of a row are merged. The
 * frame only moves forward: values are added at its end, enter it, and leave it at its start.
 *
 * Nothing is subtracted, as in [[SlidingMerge]]: the values that leave next have a tail each, which
 * is merged from the value itself to the last one that had entered when the tails were made; what
 * has entered since is merged into one more value. A value is merged at most three times.
 *
 * @param keepsEntered
 *   whether values leave again; if not, only what is merged is kept of those that have entered
 */
final class RowSlide(slots: Slots, keepsEntered: Boolean = true) {
  private var times = new Array[Long](4)
  private var values = new Array[Int](4)

  /** From `first` to `turned`: the tails. */
  private var tails = new Array[Int](4)
  private var first = 0
  private var turned = 0
  private var entered = 0
  private var end = 0
  private var sinceTurned = Slots.NoSlot

  /** The number of values, from the first that has not left to the last that was added. */
  def size: Int = end - first

  /** How many of the values are in the frame. */
  def inFrame: Int = entered - first

  /** The time of a value by its number among those that are here. */
  def time(i: Int): Long = times(first + i)

  /** The place of such a value. */
  def value(i: Int): Int = values(first + i)

  /** The place of what was merged of values that are not kept; `Slots.NoSlot` if there is none. */
  def merged: Int = sinceTurned

  /** Adds a value, which is in a place of its own from now on. */
  def add(time: Long, place: Int): Unit = {
    if (end == values.length) makeRoom(0)
    times(end) = time
    values(end) = place
    end += 1
  }

  /** Begins with what was merged before. */
  def begin(place: Int): Unit = sinceTurned = place

  /** The next value enters the frame. */
  def enter(): Unit = {
    val place = values(entered)
    if (sinceTurned != Slots.NoSlot) {
      slots.merge(sinceTurned, place, sinceTurned)
      if (!keepsEntered) slots.release(place)
    } else if (keepsEntered) {
      sinceTurned = slots.allocate()
      slots.copy(place, sinceTurned)
    } else sinceTurned = place
    entered += 1
    if (!keepsEntered) {
      first = entered
      turned = entered
    }
  }

  /** The first value leaves the frame; or leaves before it has entered. */
  def leave(): Unit = {
    if (first == entered) entered += 1
    else {
      if (first == turned) turn()
      slots.release(tails(first))
    }
    slots.release(values(first))
    first += 1
    turned = math.max(turned, first)
    if (first == entered) forget()
  }

  /**
   * Several values take the place of the first one, which was merged from them. It has entered.
   *
   * @param places
   *   belong to the values from now on
   */
  def expand(times: Array[Long], places: Array[Int]): Unit = {
    val n = places.length
    if (first == turned) turn()
    if (first < n - 1) makeRoom(n)
    slots.release(values(first))
    slots.release(tails(first))
    // The last one has the tail of the value after it merged into its own.
    val made = Array.fill(n)(slots.allocate())
    (0 until n).foreach(i => slots.copy(places(i), made(i)))
    val hasNext = first + 1 < turned
    slots.mergeTails(if (hasNext) made :+ tails(first + 1) else made, if (hasNext) n + 1 else n)
    first -= n - 1
    System.arraycopy(times, 0, this.times, first, n)
    System.arraycopy(places, 0, values, first, n)
    System.arraycopy(made, 0, tails, first, n)
  }

  /**
   * A place with their merged value takes the place of some values, which have entered. After this
   * nothing enters or leaves any more.
   *
   * @param from
   *   the first of them, by its number
   */
  def contract(from: Int, size: Int, place: Int): Unit = {
    val at = first + from
    (at until at + size).foreach(i => slots.release(values(i)))
    (at until turned).foreach(i => slots.release(tails(i)))
    turned = math.min(turned, at)
    times(at) = times(at + size - 1)
    values(at) = place
    System.arraycopy(times, at + size, times, at + 1, end - at - size)
    System.arraycopy(values, at + size, values, at + 1, end - at - size)
    entered -= size - 1
    end -= size - 1
  }

  /** Makes a tail for each value in the frame. */
  private def turn(): Unit = {
    val n = entered - first
    val made = Array.fill(n)(slots.allocate())
    var i = 0
    while (i < n) {
      slots.copy(values(first + i), made(i))
      i += 1
    }
    slots.mergeTails(made, n)
    System.arraycopy(made, 0, tails, first, n)
    turned = entered
    forget()
  }

  private def forget(): Unit = if (sinceTurned != Slots.NoSlot) {
    slots.release(sinceTurned)
    sinceTurned = Slots.NoSlot
  }

  /**
   * The place of the merged values of the first rows of the frame, or of all of them;
   * `Slots.NoSlot` if the frame is empty.
   */
  def earlier: Int = if (first < turned) tails(first) else sinceTurned

  /** The place of the merged values after those; `Slots.NoSlot` if there are none. */
  def later: Int = if (first < turned) sinceTurned else Slots.NoSlot

  /** Gives all places back. */
  def release(): Unit = {
    (first until turned).foreach(i => slots.release(tails(i)))
    (first until end).foreach(i => slots.release(values(i)))
    forget()
    first = 0
    turned = 0
    entered = 0
    end = 0
  }

  /** Moves the values to where there is room behind them, and for so many before them. */
  private def makeRoom(before: Int): Unit = {
    val n = end - first
    val length = math.max(4, before + 2 * n)
    def moved[A <: AnyRef](from: A, to: A): A = {
      System.arraycopy(from, first, to, before, n)
      to
    }
    times = moved(times, new Array[Long](length))
    values = moved(values, new Array[Int](length))
    tails = moved(tails, new Array[Int](length))
    entered += before - first
    turned += before - first
    end = before + n
    first = before
  }
}
