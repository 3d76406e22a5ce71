package tidegate.core.clock

/**
 * How many substreams a watermark node may have. The driver keeps the time of each, so a column of
 * many values, such as a user, has to be refused before memory suffers.
 *
 * @param node
 *   the name of the watermark node
 * @param columns
 *   its substream columns
 * @param max
 *   the most that it may have
 */
final case class SubstreamLimit(node: String, columns: Seq[String], max: Int) {

  def isExceededBy(count: Int): Boolean = count > max

  /** @throws TooManySubstreamsException if `count` are too many */
  def check(count: Int): Unit =
    if (isExceededBy(count)) throw new TooManySubstreamsException(this, count)
}

object SubstreamLimit {
  val none: SubstreamLimit = SubstreamLimit("", Nil, Int.MaxValue)
}
