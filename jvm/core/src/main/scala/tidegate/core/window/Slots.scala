package tidegate.core.window

/** Values in numbered places. Whoever merges them knows only the numbers. */
trait Slots {

  /**
   * Merges the value of an earlier frame with that of a later one. `into` may be the place of the
   * earlier one; the places that are read do not change otherwise.
   */
  def merge(earlier: Int, later: Int, into: Int): Unit

  /** Merges into each of the first `size` values, which are in order, all that come behind it. */
  def mergeTails(places: Array[Int], size: Int): Unit = {
    var i = size - 2
    while (i >= 0) {
      merge(places(i), places(i + 1), places(i))
      i -= 1
    }
  }

  def copy(from: Int, into: Int): Unit

  /** A free place. */
  def allocate(): Int

  def release(slot: Int): Unit
}

object Slots {

  /** Instead of a place, where there is no value. */
  val NoSlot: Int = -1
}
