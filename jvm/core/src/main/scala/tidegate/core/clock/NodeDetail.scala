package tidegate.core.clock

/**
 * What an explanation needs to know about a watermark node. It costs a look at every substream, so
 * it is made only when somebody asks. Times are in epoch ms.
 *
 * @param holder
 *   the substream that the watermark waits for; `None` if all are idle or there is none
 * @param someIdle
 *   the names of some substreams that are left out
 * @param startedAtMs
 *   the wall clock at the start of the run
 * @param emptySinceMs
 *   the wall clock since when there was no row, as long as there is no substream
 * @param lastRowAtMs
 *   when rows were last read, in this run
 */
final case class NodeDetail(
    spec: NodeSpec,
    brief: NodeBrief,
    holder: Option[HolderDetail],
    someIdle: Seq[String],
    startedAtMs: Long,
    emptySinceMs: Long,
    lastRowAtMs: Option[Long]
)

/**
 * The substream that a watermark waits for.
 *
 * @param activeAtMs
 *   when it last showed activity, in epoch ms
 * @param isRead
 *   whether a row of it was read
 * @param isBehind
 *   whether the source has rows of it that were not read
 */
final case class HolderDetail(
    name: String,
    watermarkMs: Option[Long],
    activeAtMs: Long,
    isRead: Boolean,
    isBehind: Boolean
)
