package tidegate.core

/**
 * The minimum over the watermarks of the inputs that are active, for inputs that come and go.
 *
 *   - A new input is active and has no watermark; as long as an active input has none, there is no
 *     minimum.
 *   - An idle input keeps its watermark, and counts again when it is active again.
 *   - An input that was removed is left out for ever; its number may be given to a new input.
 *   - While no input is active, the highest watermark that was ever observed takes the place of the
 *     minimum.
 *
 * Earlier minima are not remembered: the minimum falls when an input with a lower watermark is
 * added or becomes active again. Callers that make the minimum visible must keep it from going
 * back.
 *
 * To observe a watermark costs O(log n) and allocates nothing. The inputs form a tournament tree:
 * node `i` holds the winner of nodes `2i` and `2i + 1`, node 1 is the root, input `i` starts at
 * node `capacity + i`. So the winner, and not only its watermark, is known. Not thread-safe.
 */
private[core] final class ActiveMinimum {
  import ActiveMinimum.Nobody

  private var capacity = 1
  private var winners = Array.fill(2)(Nobody)
  private var latest = new Array[Long](1)
  private var count = 0
  private var free = List.empty[Int]
  private var active = 0
  private var topInput = Nobody
  private var topMs = NoWatermark.Ms

  /** Adds an input, active and without a watermark. Returns its number; numbers begin at 0. */
  def add(): Int = {
    val input = free.headOption.getOrElse(count)
    if (free.nonEmpty) free = free.tail
    else {
      if (count == capacity) grow()
      count += 1
    }
    latest(input) = NoWatermark.Ms
    activate(input)
    input
  }

  /** Leaves an input out for ever. */
  def remove(input: Int): Unit = {
    deactivate(input)
    if (topInput == input) topInput = Nobody
    free ::= input
  }

  /** Takes in a watermark of an input, which must not be below its previous one. */
  def observe(input: Int, timestampMs: Long): Unit = {
    latest(input) = timestampMs
    if (timestampMs > topMs) {
      topMs = timestampMs
      topInput = input
    }
    if (isActive(input)) play(input)
  }

  /** Makes an input active, so that it counts. */
  def activate(input: Int): Unit = if (!isActive(input)) {
    active += 1
    winners(capacity + input) = input
    play(input)
  }

  /** Leaves an input out; its watermark is remembered. */
  def deactivate(input: Int): Unit = if (isActive(input)) {
    active -= 1
    winners(capacity + input) = Nobody
    play(input)
  }

  def isActive(input: Int): Boolean = winners(capacity + input) != Nobody

  /** Whether no input is active. */
  def isIdle: Boolean = active == 0

  /** How many inputs are active. */
  def activeCount: Int = active

  /** The last watermark of an input, or `NoWatermark.Ms`. */
  def watermark(input: Int): Long = latest(input)

  /** The highest watermark ever observed, or `NoWatermark.Ms`. */
  def top: Long = topMs

  /** The minimum over the active inputs; with none of them, the highest watermark ever observed. */
  def value: Long = if (active == 0) topMs else latest(winners(1))

  /**
   * The input that decides the value; if several do, the one with the lowest number. `None` if
   * there is no such input any more.
   */
  def decidedBy: Option[Int] =
    Some(if (active == 0) topInput else winners(1)).filter(_ != Nobody)

  private def grow(): Unit = {
    val leaves = winners.slice(capacity, capacity + count)
    capacity *= 2
    latest = latest.padTo(capacity, NoWatermark.Ms)
    winners = Array.fill(2 * capacity)(Nobody)
    leaves.copyToArray(winners, capacity)
    (capacity - 1 to 1 by -1).foreach(node => winners(node) = winnerBelow(node))
  }

  /**
   * Stops at a node that the input neither won before nor wins now: that node and all above stay
   * the same.
   */
  private def play(input: Int): Unit = {
    var node = (capacity + input) >> 1
    while (node > 0) {
      val before = winners(node)
      val now = winnerBelow(node)
      winners(node) = now
      node = if (before == input || now == input) node >> 1 else 0
    }
  }

  private def winnerBelow(node: Int): Int = {
    val left = winners(2 * node)
    val right = winners(2 * node + 1)
    if (right == Nobody) left
    else if (left == Nobody || latest(right) < latest(left)) right
    else left
  }
}

private object ActiveMinimum {
  private final val Nobody = -1
}
