package tidegate.bench.hop

import scala.collection.mutable

/** What a batch costs in itself: that of the same query with one row a batch. */
private[hop] final class BatchCost(runner: HopRunner, bids: Bids) {
  private val known = mutable.Map.empty[(Side, String), Double]

  /** The median of the batches of a run after one that warms up. */
  def milliseconds(side: Side, state: String): Double =
    known.getOrElseUpdate(
      (side, state), {
        val work = Work(side, bids, sizeSeconds = 60, state, filesPerBatch = 1)
        runner.run(work)
        runner.run(work).batchMs
      }
    )

  def milliseconds(work: Work): Double = milliseconds(work.side, work.state)
}
