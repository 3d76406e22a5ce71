package tidegate.bench.hop

import tidegate.bench.Pairs

/** How the cost of a row depends on how many windows it is in. */
private[hop] final class Curve(runner: HopRunner, batches: BatchCost, settings: HopSettings) {
  private val Sizes = Seq(2, 10, 60, 600, 1440)

  /** Windows beyond this take Spark's plan minutes. */
  private val LargestWithoutFrames = 60

  /**
   * Prints for each size what is left of the time without the fixed cost of the batches, for a row
   * that goes in and for one that comes out. Large windows put out more rows, as they live longer
   * than the stream; batches without input, which only close windows, tell what those rows cost.
   */
  def run(bids: Bids): Unit = {
    val state = settings.states.head
    val side = settings.sidesOr("tidegate").last
    println(s"curve: windows by 1 s, ${bids.shape}, state in $state, ${settings.pairs} rounds")
    val batchMs = batches.milliseconds(side, state)
    println(f" fixed cost of a batch: $batchMs%.0f ms")
    var frames = true
    Sizes.filter(_ <= LargestWithoutFrames || frames).foreach { size =>
      runner.run(Work(side, bids, size, state)): Unit
      val runs = (1 to settings.pairs).map(_ => runner.run(Work(side, bids, size, state)))
      frames = runs.forall(_.frames)
      report(size, runs, batchMs)
    }
  }

  private def report(size: Int, runs: Seq[HopRun], batchMs: Double): Unit = {
    val last = runs.last
    def text(name: String, of: Seq[Double] => Double) = {
      val wall = of(runs.map(_.wallSeconds))
      val left = of(runs.map(r => r.wallSeconds - r.batches * batchMs / 1e3))
      val closing = of(runs.map(_.closingMs)) / 1e3 - runs.map(_.closingBatches).max * batchMs / 1e3
      val perRowOut = closing * 1e9 / last.closingRows
      val rowsIn = left - perRowOut / 1e9 * last.outputRows
      f" $size%5d windows, $name%-6s: $wall%.2f s, without batches $left%.2f s = " +
        f"${left * 1e6 / last.rows}%.2f us a row in, ${left * 1e9 / last.outputRows}%.0f ns a row out; " +
        f"closing alone $perRowOut%.0f ns a row out, which leaves ${rowsIn * 1e6 / last.rows}%.2f us " +
        "a row in"
    }
    println(text("min", _.min))
    println(text("median", Pairs.median))
    println(f" $size%5d windows: ${last.outputRows} rows out, ${last.stateRows} rows of state")
  }
}
