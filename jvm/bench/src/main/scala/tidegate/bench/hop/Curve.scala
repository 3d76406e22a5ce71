package tidegate.bench.hop

import tidegate.bench.Pairs

/** Measures how the cost of a row depends on the number of windows that contain it. */
private[hop] final class Curve(runner: HopRunner, batches: BatchCost, settings: HopSettings) {
  private val Sizes = Seq(2, 10, 60, 600, 1440)

  /** With larger windows, Spark's plan takes minutes. */
  private val LargestWithoutFrames = 60

  private val EnoughClosingRows = 100000L

  /**
   * Prints, for each size, the time without the fixed cost of the batches, for each input row and
   * for each output row. Large windows emit more rows, because they last longer than the stream;
   * batches without input, which only close windows, show the cost of these rows.
   */
  def run(bids: Bids): Unit = {
    val state = settings.states.head
    val side = settings.sidesOr("tidegate").last
    println(s"curve: windows by 1 s, ${bids.shape}, state in $state, ${settings.pairs} rounds")
    val batchMs = batches.milliseconds(side, state)
    println(f" fixed cost of a batch: $batchMs%.0f ms")
    var frames = true
    // An iterator, because the result of one size decides whether the next one runs.
    Sizes.iterator.filter(_ <= LargestWithoutFrames || frames).foreach { size =>
      runner.run(Work(side, bids, Windows.Sliding(size), state))
      val runs =
        (1 to settings.pairs).map(_ => runner.run(Work(side, bids, Windows.Sliding(size), state)))
      frames = runs.forall(_.frames)
      report(size, runs, batchMs)
    }
  }

  private def report(size: Int, runs: Seq[HopRun], batchMs: Double): Unit = {
    val last = runs.last
    Seq[(String, Seq[Double] => Double)]("min" -> (_.min), "median" -> Pairs.median).foreach {
      case (name, of) =>
        val left = of(runs.map(r => r.wallSeconds - r.batches * batchMs / 1e3))
        println(
          f" $size%5d windows, $name%-6s: ${of(runs.map(_.wallSeconds))}%.2f s, without batches " +
            f"$left%.2f s: ${left * 1e6 / last.rows}%.2f us a row in, " +
            f"${left * 1e9 / last.outputRows}%.0f ns a row out" +
            closing(runs, of, batchMs).fold("") { seconds =>
              val perRowIn = (left - seconds * last.outputRows) * 1e6 / last.rows
              f"; closing alone ${seconds * 1e9}%.0f ns a row out, so $perRowIn%.2f us a row in"
            }
        )
    }
    println(f" $size%5d windows: ${last.outputRows} rows out, ${last.stateRows} rows of state")
  }

  /**
   * Seconds for each output row in the batches that only close windows, if there were enough rows.
   */
  private def closing(
      runs: Seq[HopRun],
      of: Seq[Double] => Double,
      batchMs: Double
  ): Option[Double] =
    Option.when(runs.last.closingRows >= EnoughClosingRows) {
      of(runs.map(r => (r.closingMs - r.closingBatches * batchMs) / 1e3 / r.closingRows))
    }
}
