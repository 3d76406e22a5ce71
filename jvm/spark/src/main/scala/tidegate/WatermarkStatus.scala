package tidegate

import java.time.Instant

import tidegate.clock.NodeView

/**
 * A keyed watermark of a query.
 *
 * @param key
 *   its key, from 0 to 127
 * @param watermark
 *   the time up to which all rows are expected to have arrived, in whole milliseconds; none until
 *   there is one
 * @param idle
 *   whether all of its substreams are idle
 * @param eventTime
 *   the name of the event time column
 * @param heldBackBy
 *   the substream furthest behind, which the watermark waits for; none if all are idle
 * @param futureEvents
 *   how many rows since the start of the query were further ahead of the wall clock than
 *   `maxFutureSkew`
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
