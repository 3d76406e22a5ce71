package tidegate

import java.time.Instant

import tidegate.core.clock.SubstreamView

/**
 * A substream of a keyed watermark.
 *
 * @param watermark
 *   its own watermark, in whole milliseconds; none until there is one
 * @param idle
 *   whether it is left out of the minimum
 */
final case class SubstreamStatus(watermark: Option[Instant], idle: Boolean)

object SubstreamStatus {

  private[tidegate] def of(substream: SubstreamView): SubstreamStatus =
    SubstreamStatus(substream.watermarkMs.map(Instant.ofEpochMilli), substream.idle)
}
