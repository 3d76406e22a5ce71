package tidegate.core.window

/** Values in numbered places. The code that merges them knows only the numbers. */
trait Slots {

  /**
   * Merges the value of an earlier frame with the value of a later one. `into` may be the place of
   * the earlier value; apart from that, the places that are read do not change.
   */
  def merge(earlier: Int, later: Int, into: Int): Unit

  /** Merges into each of the first `size` values, which are in order, all values after it. */
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

  /** The number that stands for no place, if there is no value. */
  val NoSlot: Int = -1
}
