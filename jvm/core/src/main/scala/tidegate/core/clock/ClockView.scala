package tidegate.core.clock

/** What a user may see of a clock: watermark nodes and operators, by name. */
final case class ClockView(nodes: Map[String, NodeView], operators: Map[String, OperatorView])

/** The figures of a clock at one moment, by name, without those of each substream. */
final case class ClockBrief(nodes: Map[String, NodeBrief], operators: Map[String, OperatorView])

/**
 * What a user may see of a watermark node.
 *
 * @param heldBackBy
 *   the substream that the watermark waits for; `None` if all are idle
 */
final case class NodeView(
    mark: NodeMark,
    substreams: Map[String, SubstreamView],
    heldBackBy: Option[String]
)

/**
 * What a user may see of one substream. Times are in epoch ms.
 *
 * @param watermarkMs
 *   its own watermark
 * @param idle
 *   whether it is left out
 * @param activeAtMs
 *   the wall clock when it last showed activity
 * @param isUnread
 *   whether the source has rows of it that were not read, where the source tells
 * @param newAtMs
 *   the wall clock when it appeared; `None` if it did before the start of the run
 */
final case class SubstreamView(
    watermarkMs: Option[Long],
    idle: Boolean,
    activeAtMs: Long,
    isUnread: Boolean,
    newAtMs: Option[Long]
)

/**
 * What a user may see of a stateful operator, or of one side of a join.
 *
 * @param heldBackBy
 *   the watermark node that its watermark waits for
 * @param evictionHeldBackBy
 *   the watermark node that its state waits for; `None` if rows stay in it for ever
 */
final case class OperatorView(
    mark: OperatorMark,
    heldBackBy: String,
    evictionHeldBackBy: Option[String]
)
