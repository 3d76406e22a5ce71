package tidegate.own.order

/**
 * Which rows have left already, although their page is still there.
 *
 * @param upTo
 *   the highest time, in µs
 * @param batchId
 *   the last batch of which rows have left: a row that came later has not, whatever its time
 */
private[order] final case class Taken(upTo: Long, batchId: Long)
