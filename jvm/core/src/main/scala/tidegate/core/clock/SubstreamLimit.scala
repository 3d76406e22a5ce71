package tidegate.core.clock

/**
 * How many substreams a watermark node may have. The driver keeps the time of each, so a column
 * with many values, such as a user, must be refused before memory runs out.
 *
 * @param node
 *   the name of the watermark node
 * @param columns
 *   its substream columns
 * @param max
 *   the largest number that it may have
 */
final case class SubstreamLimit(node: String, columns: Seq[String], max: Int) {

  def isExceededBy(count: Int): Boolean = count > max

  /** @throws TooManySubstreamsException if `count` is too many */
  def check(count: Int): Unit =
    if (isExceededBy(count)) throw new TooManySubstreamsException(this, count)
}

object SubstreamLimit {
  val none: SubstreamLimit = SubstreamLimit("", Nil, Int.MaxValue)
}

/** A watermark node has more substreams than it may have. */
final class TooManySubstreamsException(val limit: SubstreamLimit, val found: Int)
    extends RuntimeException(
      s"The watermark `${limit.node}` has found $found substreams by " +
        s"${limit.columns.mkString("`", "`, `", "`")}, but may have ${limit.max}."
    )
