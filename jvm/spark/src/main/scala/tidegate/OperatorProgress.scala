package tidegate

import java.time.Instant

import tidegate.core.sight.OperatorSight

/**
 * A stateful operator, or one side of a join, at the end of a batch.
 *
 * @param key
 *   the key of the watermark that it runs on, from 0 to 127
 * @param watermark
 *   the time of its rows: those of the next batch that are below it are late; none until there is
 *   one
 * @param idle
 *   whether all of its input was idle
 * @param heldBackBy
 *   the keyed watermark that its rows waited for
 * @param evictionWatermark
 *   the time below which rows had left its state; none until there is one, or if rows stay for ever
 * @param evictionHeldBackBy
 *   the keyed watermark that its state waited for; none if rows stay for ever
 * @param lateRows
 *   how many rows of the batch were dropped as late
 * @param lateRowsTotal
 *   the same, since the query was started
 * @param stateRows
 *   how many rows its state had; the sides of a join have one state together
 * @param stateBytes
 *   how large its state was in memory, in bytes, as its store counts them
 * @param nextWindowEnd
 *   the end of the next window that will be closed; none if the operator has no windows from frames
 */
final case class OperatorProgress(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    heldBackBy: String,
    evictionWatermark: Option[Instant],
    evictionHeldBackBy: Option[String],
    lateRows: Long,
    lateRowsTotal: Long,
    stateRows: Option[Long],
    stateBytes: Option[Long],
    nextWindowEnd: Option[Instant]
)

object OperatorProgress {

  private[tidegate] def of(sight: OperatorSight): OperatorProgress = OperatorProgress(
    sight.view.mark.key.toInt,
    sight.view.mark.watermarkMs.map(Instant.ofEpochMilli),
    sight.view.mark.idle,
    sight.view.heldBackBy,
    sight.view.mark.evictionMs.map(Instant.ofEpochMilli),
    sight.view.evictionHeldBackBy,
    sight.lateRows.inBatch,
    sight.lateRows.inAll,
    sight.state.map(_.rows),
    sight.state.map(_.bytes),
    sight.nextEndMs.map(Instant.ofEpochMilli)
  )
}
