package tidegate.bench.hop

import scala.collection.mutable

/** The fixed cost of a batch: the time of a batch of the same query with one row in each batch. */
private[hop] final class BatchCost(runner: HopRunner, bids: Bids) {
  private val known = mutable.Map.empty[(Side, String), Double]

  /** The median over the batches of a run, after a run that warms up. */
  def milliseconds(side: Side, state: String): Double =
    known.getOrElseUpdate(
      (side, state), {
        val work = Work(side, bids, Windows.Sliding(60), state, filesPerBatch = 1)
        runner.run(work)
        runner.run(work).batchMs
      }
    )

  def milliseconds(work: Work): Double = milliseconds(work.side, work.state)
}
