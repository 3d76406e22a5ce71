package tidegate.core.clock

/**
 * The figures of a watermark node at one moment, without those of each substream: they cost the
 * same however many substreams there are. Times are in epoch ms.
 *
 * @param heldBackBy
 *   the substream that the watermark waits for; `None` if all are idle
 * @param heldSinceMs
 *   the wall clock since when it is that substream, at the earliest the start of the run
 * @param heldBackMs
 *   how far that substream is behind the newest one
 * @param active
 *   how many substreams count
 * @param idle
 *   how many substreams are left out
 * @param unread
 *   how many substreams have rows that were not read, where the source reports its substreams
 * @param movedAtMs
 *   the wall clock when the time of the node last moved, at the earliest the start of the run
 */
final case class NodeBrief(
    mark: NodeMark,
    heldBackBy: Option[String],
    heldSinceMs: Option[Long],
    heldBackMs: Long,
    active: Int,
    idle: Int,
    unread: Int,
    movedAtMs: Long
)
