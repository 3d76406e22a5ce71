package tidegate.core.figures

/**
 * Whether time moves, in a word and in a sentence.
 *
 * @param kind
 *   one of the kinds below
 * @param text
 *   the sentence
 * @param watermark
 *   the watermark that decides, if one does
 * @param waitsFor
 *   the substream that it waits for
 * @param sinceMs
 *   the wall clock since when it does, at the earliest the start of the run
 */
final case class Verdict(
    kind: String,
    text: String,
    watermark: Option[String] = None,
    waitsFor: Option[String] = None,
    sinceMs: Option[Long] = None
)

object Verdict {

  /** Time moves. A substream that is behind by less than a minute is no news. */
  val Moving = "moving"

  /** Time waits for a substream: it is behind by a minute, or time has not moved for a minute. */
  val Waiting = "waiting"

  /** Time has waited in one place for longer than `spark.tidegate.stallWarning`. */
  val Stalled = "stalled"

  /** Nothing holds time, and it does not move: there are no rows. */
  val Free = "held by nothing"

  /** The query has started, and there is no time yet. */
  val Starting = "starting"

  /** A batch has run for so long that nothing else can be said. */
  val InBatch = "in a batch"

  val Failed = "failed"

  /** The run has ended, or the time of a watermark has. */
  val Ended = "ended"
}
