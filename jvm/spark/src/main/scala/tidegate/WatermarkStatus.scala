package tidegate

import java.time.Instant

import tidegate.clock.NodeView

/**
 * A keyed watermark of a query.
 *
 * @param key
 *   its key, from 0 to 127
 * @param watermark
 *   the time up to which rows are expected to have come, in whole milliseconds; none before there
 *   is one
 * @param idle
 *   whether all of its substreams are idle
 * @param eventTime
 *   the name of the event time column
 * @param heldBackBy
 *   the substream that is the minimum, which the watermark waits for; none if all are idle
 * @param futureEvents
 *   how many rows were further in the future than `maxFutureSkew` since the query was started
 * @param substreams
 *   the substreams by name: the values of their columns, joined by `/`
 */
final case class WatermarkStatus(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    eventTime: String,
    heldBackBy: Option[String],
    futureEvents: Long,
    substreams: Map[String, SubstreamStatus]
)

object WatermarkStatus {

  private[tidegate] def of(node: NodeView, eventTime: String): WatermarkStatus =
    WatermarkStatus(
      node.mark.key.toInt,
      node.mark.watermarkMs.map(Instant.ofEpochMilli),
      node.mark.idle,
      eventTime,
      node.heldBackBy,
      node.futureEvents,
      node.substreams.map { case (name, substream) => name -> SubstreamStatus.of(substream) }
    )
}
