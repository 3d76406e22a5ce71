package tidegate.core

/**
 * The watermarks of one key over n inputs, and their minimum over the inputs that count.
 *
 * Which inputs count is decided by the caller (`include`, `exclude`), because idleness has no key.
 * The minimum is kept in a tournament tree, so that a watermark costs O(log n) at most and no
 * allocation: node `i` holds the minimum of nodes `2i` and `2i + 1`, node 1 is the root, input `i`
 * is the leaf `n + i`. An excluded leaf is `Long.MaxValue`; an included one without a watermark is
 * `NoWatermark.Ms`, the lowest value, and so holds the key back.
 */
private[core] final class WatermarkCoalescer(inputCount: Int) {

  private val tree = Array.fill(2 * inputCount)(NoWatermark.Ms)
  private val latest = Array.fill(inputCount)(NoWatermark.Ms)
  private var forwardedMs = NoWatermark.Ms
  private var topMs = NoWatermark.Ms

  /** The last watermark of an input, also of one that is excluded. */
  def latest(input: Int): Long = latest.apply(input)

  /** The last forwarded value. */
  def forwarded: Long = forwardedMs

  /** The highest watermark of any input, also of one that is excluded. */
  def top: Long = topMs

  /** Takes over the watermark of an included input. */
  def observe(input: Int, timestampMs: Long): Unit = {
    remember(input, timestampMs)
    setLeaf(input, timestampMs)
  }

  /** Lets an input count, with its old watermark if it has one. */
  def include(input: Int): Unit = setLeaf(input, latest.apply(input))

  /** Leaves an input out; its watermark is remembered. */
  def exclude(input: Int): Unit = setLeaf(input, Long.MaxValue)

  /**
   * Takes the minimum as the forwarded value if that is a rise; says whether it was. To be asked
   * only while an input is included: the minimum over none is no watermark.
   */
  def forwardMinimum(): Boolean = forward(tree(1))

  /** Takes the highest observed value as the forwarded one if that is a rise. */
  def forwardTop(): Boolean = forward(topMs)

  def snapshot: KeySnapshot = KeySnapshot(
    NoWatermark.toOption(forwardedMs),
    latest.iterator.map(NoWatermark.toOption).toVector
  )

  /** Sets what a saved coalescer had; inputs are to be included or excluded afterwards. */
  def restore(snapshot: KeySnapshot): Unit = {
    snapshot.watermarks.indices.foreach { input =>
      remember(input, NoWatermark.fromOption(snapshot.watermarks(input)))
    }
    forwardedMs = NoWatermark.fromOption(snapshot.forwarded)
  }

  private def remember(input: Int, timestampMs: Long): Unit = {
    latest(input) = timestampMs
    topMs = math.max(topMs, timestampMs)
  }

  private def forward(timestampMs: Long): Boolean = {
    val rises = timestampMs > forwardedMs
    if (rises) forwardedMs = timestampMs
    rises
  }

  private def setLeaf(input: Int, value: Long): Unit = {
    var node = inputCount + input
    var changed = tree(node) != value
    tree(node) = value
    while (changed && node > 1) {
      val minimum = math.min(tree(node), tree(node ^ 1))
      node >>= 1
      changed = tree(node) != minimum
      tree(node) = minimum
    }
  }
}
