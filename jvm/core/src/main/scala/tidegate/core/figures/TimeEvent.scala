package tidegate.core.figures

/**
 * Something that happened to the time of a query.
 *
 * @param atMs
 *   the wall clock, in epoch ms
 * @param kind
 *   one of the kinds below
 * @param name
 *   of the watermark, or of the stateful operator
 * @param substreams
 *   those that it happened to, at most `TimeEvent.MostNames` of them
 * @param count
 *   how many substreams, or how many rows
 * @param text
 *   the same as a sentence
 */
final case class TimeEvent(
    atMs: Long,
    kind: String,
    name: String,
    substreams: Seq[String],
    count: Long,
    text: String
)

object TimeEvent {

  /** So many substreams are named; a stream may have many thousands. */
  val MostNames = 10

  val New = "new"
  val Idle = "idle"
  val Back = "back"
  val Behind = "behind"
  val Forgotten = "forgotten"
  val Flushed = "flushed"
  val Restarted = "restarted"
  val Changed = "changed"
  val LateAfterIdle = "late after idle"
  val ManyLate = "many late"
  val Stalled = "stalled"
  val Withheld = "withheld"

  /** The kinds that cost rows or time. */
  val Warnings: Set[String] = Set(Changed, Behind, LateAfterIdle, ManyLate, Stalled, Withheld)
}
