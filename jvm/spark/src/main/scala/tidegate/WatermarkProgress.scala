package tidegate

import java.time.Instant

import tidegate.clock.SightJson
import tidegate.core.sight.WatermarkSight

/**
 * A keyed watermark at the end of a batch.
 *
 * @param key
 *   its key, from 0 to 127
 * @param watermark
 *   rows below it are late; none until there is one
 * @param lagMs
 *   how far it was behind the wall clock, in ms; none without a watermark, and at the end of time
 * @param idle
 *   whether all of its substreams were idle
 * @param heldBackBy
 *   the substream that it waited for; none if all were idle
 * @param heldBackSince
 *   the wall clock since when it was that substream, at the earliest the start of the query
 * @param heldBackMs
 *   how far that substream was behind the newest, in ms
 * @param activeSubstreams
 *   how many substreams counted
 * @param idleSubstreams
 *   how many substreams were left out
 * @param unreadSubstreams
 *   how many substreams had rows to be read, where the source tells
 * @param movedAt
 *   the wall clock when its time last moved, at the earliest the start of the query
 * @param futureEvents
 *   how many rows of the batch were further in the future than `maxFutureSkew`
 * @param futureEventsTotal
 *   the same, since the query was started
 */
final case class WatermarkProgress(
    key: Int,
    watermark: Option[Instant],
    lagMs: Option[Long],
    idle: Boolean,
    heldBackBy: Option[String],
    heldBackSince: Option[Instant],
    heldBackMs: Long,
    activeSubstreams: Int,
    idleSubstreams: Int,
    unreadSubstreams: Int,
    movedAt: Instant,
    futureEvents: Long,
    futureEventsTotal: Long
)

object WatermarkProgress {

  private[tidegate] def of(sight: WatermarkSight, wallClockMs: Long): WatermarkProgress = {
    val brief = sight.brief
    WatermarkProgress(
      brief.mark.key.toInt,
      brief.mark.watermarkMs.map(Instant.ofEpochMilli),
      SightJson.lagMs(brief.mark.watermarkMs, wallClockMs),
      brief.mark.idle,
      brief.heldBackBy,
      brief.heldSinceMs.map(Instant.ofEpochMilli),
      brief.heldBackMs,
      brief.active,
      brief.idle,
      brief.unread,
      Instant.ofEpochMilli(brief.movedAtMs),
      sight.futureEvents.inBatch,
      sight.futureEvents.inAll
    )
  }
}
