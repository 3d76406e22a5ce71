package tidegate.clock

import tidegate.errors.QueryErrors

/** The watermarks of one batch: at its start for late rows, at its end for eviction. */
final case class BatchTimes(start: ClockOffset, end: ClockOffset, batchTimestampMs: Long) {

  /**
   * The watermarks of an operator, none of them below `lowestMs`. Of Spark's operators it is 0, or
   * Spark would ask for batches without end: its own watermark is 0 and so ahead of ours.
   */
  def operator(name: String, lowestMs: Long = 0L): OperatorBatch = {
    def orLowest(ms: Option[Long]) = math.max(lowestMs, ms.getOrElse(lowestMs))
    OperatorBatch(
      orLowest(start.operators.get(name).flatMap(_.watermarkMs)),
      orLowest(end.operators.get(name).flatMap(_.evictionMs)),
      orLowest(start.operators.get(name).flatMap(_.evictionMs)),
      end.operators.get(name).exists(_.idle)
    )
  }

  /** A watermark node at the end of the batch. */
  def node(name: String): Option[NodeMark] = end.nodes.get(name)

  /** @throws AnalysisException if a watermark would go back in this batch */
  def checkMonotonic(): this.type = {
    for {
      (name, before) <- start.nodes
      previous <- before.watermarkMs
      found <- end.nodes.get(name).map(_.watermarkMs.getOrElse(Long.MinValue))
      if found < previous
    } throw QueryErrors.watermarkWentBack(name, before.key, previous, found)
    this
  }
}
