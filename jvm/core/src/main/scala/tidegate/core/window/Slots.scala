package tidegate.core.window

/** Values in numbered places. Whoever merges them knows only the numbers. */
trait Slots {

  /**
   * Merges the value of an earlier frame with that of a later one. `into` may be the place of the
   * earlier one; the places that are read do not change otherwise.
   */
  def merge(earlier: Int, later: Int, into: Int): Unit

  def copy(from: Int, into: Int): Unit

  /** A free place. */
  def allocate(): Int

  def release(slot: Int): Unit
}
