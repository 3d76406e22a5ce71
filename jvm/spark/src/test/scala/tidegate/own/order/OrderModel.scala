package tidegate
package own.order

import tidegate.own.windows.SentRow

/**
 * A batch: its rows, the watermark at its start, and the one at its end, in epoch ms, as far as
 * there is one.
 */
final case class OrderBatch(
    id: Long,
    rows: Seq[SentRow],
    lateMs: Option[Long],
    evictionMs: Option[Long]
)

/** By batch: the rows that leave in it, in their order; and the number of its late rows. */
final case class OrderResult(left: Map[Long, Seq[SentRow]], late: Map[Long, Int])

/**
 * Event-time order by its definition: all rows that wait are sorted in every batch, by their time.
 * The sort is stable, and keeps rows of one time as they came.
 */
object OrderModel {

  def run(batches: Seq[OrderBatch]): OrderResult = {
    var waiting = Seq.empty[SentRow]
    val results = batches.map { batch =>
      val (late, inTime) = batch.rows.partition(_.micros.exists(isBelow(_, batch.lateMs)))
      val (timed, withoutTime) = inTime.partition(_.micros.isDefined)
      val (due, rest) =
        (waiting ++ timed).partition(r => isBelow(r.micros.get, batch.evictionMs))
      waiting = rest
      (batch.id, withoutTime ++ due.sortBy(_.micros.get), late.size)
    }
    OrderResult(
      results.map { case (id, left, _) => id -> left }.toMap,
      results.map { case (id, _, late) => id -> late }.toMap
    )
  }

  private def isBelow(micros: Long, ms: Option[Long]): Boolean = ms.exists(micros < _ * 1000)
}
