package tidegate.ui

import tidegate.clock.QueryIds
import tidegate.core.clock.{NodeMark, OperatorMark, SubstreamView}
import tidegate.core.sight.{BatchSight, SightEvent, StateSize}

/**
 * What the pages show of a run of a query: one that the application knows, or one of an event log.
 * Times are in epoch ms.
 *
 * @param state
 *   whether it runs, in words
 * @param atMs
 *   the wall clock of what is shown
 * @param explanation
 *   what holds what back, in sentences; `None` if the event log does not tell
 * @param batches
 *   the last ones, the oldest first
 * @param events
 *   what happened lately, the oldest first
 */
private[ui] final case class RunPicture(
    ids: QueryIds,
    state: String,
    atMs: Long,
    explanation: Option[String],
    watermarks: Seq[WatermarkPicture],
    operators: Seq[OperatorPicture],
    batches: Seq[BatchSight],
    events: Seq[SightEvent]
) {

  /** The lowest watermark. */
  def lowestMs: Option[Long] = watermarks.flatMap(_.mark.watermarkMs).minOption
}

/**
 * A keyed watermark.
 *
 * @param substreams
 *   all of them by name; `None` if the event log does not tell
 * @param unreadRows
 *   how many rows of a substream are not read, where the source tells
 */
private[ui] final case class WatermarkPicture(
    name: String,
    mark: NodeMark,
    heldBackBy: Option[String],
    heldBackMs: Long,
    counts: SubstreamCounts,
    futureEvents: Long,
    substreams: Option[Map[String, SubstreamView]],
    unreadRows: Map[String, Long]
)

/** How many substreams count, are left out, and have rows that were not read. */
private[ui] final case class SubstreamCounts(active: Int, idle: Int, unread: Int)

/**
 * A stateful operator, or one side of a join.
 *
 * @param nextEndMs
 *   the end of the next window that will be closed, if the operator has windows of known length
 */
private[ui] final case class OperatorPicture(
    name: String,
    mark: OperatorMark,
    heldBackBy: String,
    evictionHeldBackBy: Option[String],
    lateRows: Long,
    lateRowsInBatch: Long,
    state: Option[StateSize],
    nextEndMs: Option[Long]
)

/** The runs that the pages show. */
private[ui] trait Runs {

  /** All of them; those that run come first. */
  def all: Seq[RunPicture]

  /** One of them by its id. */
  def run(id: String): Option[RunPicture]

  /** What is true of a page without runs, or of a run that is not there. */
  def none: String

  def unknown: String
}
