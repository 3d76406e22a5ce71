package tidegate.core.clock

/**
 * A row of a feed.
 *
 * @param observedMs
 *   the time that moves the watermark, if the row has one
 * @param eventMs
 *   the time that operators go by
 */
final case class FeedRow(observedMs: Option[Long], eventMs: Option[Long])

object FeedRow {

  /** An event at this second. */
  def at(second: Double): FeedRow = {
    val ms = Some((second * 1000).toLong)
    FeedRow(ms, ms)
  }

  /** An event without a time. */
  val withoutTime: FeedRow = FeedRow(None, None)

  /** A row that was appended at this second, of an event so many seconds before. */
  def appended(second: Double, age: Int = 0): FeedRow = {
    val ms = (second * 1000).toLong
    FeedRow(Some(ms), Some(ms - age * 1000L))
  }
}
