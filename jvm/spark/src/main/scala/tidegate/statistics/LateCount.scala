package tidegate.statistics

/**
 * The late rows that one pass over a partition found.
 *
 * @param rows
 *   their number
 * @param samples
 *   the first of them, as lines for the log
 */
private[statistics] final case class LateCount(rows: Long, samples: Vector[String])

private[statistics] object LateCount {
  val none: LateCount = LateCount(0L, Vector.empty)
}
