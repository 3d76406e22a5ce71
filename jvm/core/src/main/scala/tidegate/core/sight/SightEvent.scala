package tidegate.core.sight

/**
 * Something that happened to the time of a query.
 *
 * @param atMs
 *   the wall clock, in epoch ms
 * @param kind
 *   one of `SightEvent.kinds`
 * @param name
 *   of the watermark, or of the stateful operator
 * @param substreams
 *   those that it happened to, at most `SightEvent.MostNames` of them
 * @param count
 *   how many substreams, or how many rows
 * @param text
 *   the same as a sentence
 */
final case class SightEvent(
    atMs: Long,
    kind: String,
    name: String,
    substreams: Seq[String],
    count: Long,
    text: String
)

object SightEvent {

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

  val kinds: Seq[String] = Seq(
    New,
    Idle,
    Back,
    Behind,
    Forgotten,
    Flushed,
    Restarted,
    Changed,
    LateAfterIdle,
    ManyLate,
    Stalled,
    Withheld
  )
}
