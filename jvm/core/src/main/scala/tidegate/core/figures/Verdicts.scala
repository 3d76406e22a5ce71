package tidegate.core.figures

/** What is said of the time of a query: from its figures alone. */
object Verdicts {
  import Verdict._

  /** The worst first. */
  private val ByWeight = Seq(Failed, Stalled, Waiting, InBatch, Starting, Free, Moving, Ended)

  /** The verdict on a query: the worst on its watermarks. */
  def of(query: QueryFigures): Verdict = query.state match {
    case RunState.Failed("")     => Verdict(Failed, "The query has failed.")
    case RunState.Failed(reason) => Verdict(Failed, s"The query has failed: $reason.")
    case RunState.Running        =>
      query.watermarks.keys.toSeq
        .flatMap(of(query, _))
        .minByOption(weight(query, _))
        .getOrElse(Verdict(Starting, "The query has not asked its sources for rows yet."))
    case RunState.NotEnded => Verdict(Ended, "The event log does not say how the run ended.")
    case RunState.Ended    => Verdict(Ended, "The query has ended.")
  }

  /** The verdict on a watermark; `None` if its substreams are not known. */
  def of(query: QueryFigures, watermark: String): Option[Verdict] =
    Option.when(query.watermarks(watermark).detail.isDefined)(
      new WatermarkSentences(query, watermark).verdict
    )

  /** What is idle holds nothing back, so it matters less than what moves. */
  private def weight(query: QueryFigures, verdict: Verdict): Int =
    if (verdict.kind == Free && verdict.watermark.exists(query.watermarks(_).idle)) ByWeight.size
    else ByWeight.indexOf(verdict.kind)

  /** The watermark that a look at a query is about: that of its verdict, or the lowest. */
  def deciding(query: QueryFigures): Option[String] = of(query).watermark.orElse(
    query.watermarks.minByOption(_._2.watermarkMs.getOrElse(Long.MaxValue)).map(_._1)
  )
}
