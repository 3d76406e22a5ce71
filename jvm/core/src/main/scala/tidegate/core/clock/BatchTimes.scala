package tidegate.core.clock

/** The watermarks of one batch: at its start, and at its end for eviction. */
final case class BatchTimes(start: ClockState, end: ClockState) {

  /**
   * Below these watermarks rows are late: those at the start, or of a batch without rows that was
   * left out since. So the same rows are late whether or not such a batch is left out.
   */
  val late: ClockState = end.skipped.fold(start)(start.at)

  /** The watermarks of an operator, none of them below `lowestMs`. */
  def operator(name: String, lowestMs: Long = OperatorBatch.NothingLate): OperatorBatch = {
    def orLowest(ms: Option[Long]) = math.max(lowestMs, ms.getOrElse(lowestMs))
    OperatorBatch(
      orLowest(late.operators.get(name).flatMap(_.watermarkMs)),
      orLowest(end.operators.get(name).flatMap(_.evictionMs)),
      orLowest(start.operators.get(name).flatMap(_.evictionMs)),
      end.operators.get(name).exists(_.idle),
      end.skipped.flatMap(_.operators.get(name)).flatMap(_.evictionMs)
    )
  }

  /** The mark of a watermark node at the end of the batch. */
  def node(name: String): Option[NodeMark] = end.nodes.get(name)

  /** A node whose watermark would go back in this batch, with its mark before and after it. */
  def wentBack: Option[(String, NodeMark, NodeMark)] =
    start.nodes.iterator
      .flatMap { case (name, before) => end.nodes.get(name).map(after => (name, before, after)) }
      .find { case (_, before, after) =>
        before.watermarkMs.exists(ms => after.watermarkMs.forall(_ < ms))
      }
}
