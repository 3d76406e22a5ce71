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
 */
final case class OperatorProgress(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    heldBackBy: String,
    evictionWatermark: Option[Instant],
    evictionHeldBackBy: Option[String],
    lateRows: Long,
    lateRowsTotal: Long
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
    sight.lateRows.inAll
  )
}
