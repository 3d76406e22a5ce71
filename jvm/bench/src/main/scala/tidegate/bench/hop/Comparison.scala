package tidegate.bench.hop

import tidegate.bench.Pairs

/** Compares runs of the same work on each side. */
private[hop] object Comparison {

  /**
   * Checks that all sides emit the same rows, which also warms them up. Then runs each side
   * `rounds` times, with the sides reversed in every other round; the results are in the order of
   * the rounds.
   *
   * @throws java.lang.IllegalArgumentException
   *   if the sides differ
   */
  def alternate(runner: HopRunner, works: Seq[Work], rounds: Int): Seq[Seq[HopRun]] = {
    require(rounds > 0, "a comparison needs a round")
    val results = works.map(runner.result)
    require(results.distinct.size == 1, s"the sides put out different rows: $results")
    if (works.size > 1) println(s" rows out, with the same hash: ${results.head.rows}")
    (1 to rounds).map { round =>
      if (round % 2 == 1) works.map(runner.run) else works.reverse.map(runner.run).reverse
    }.transpose
  }

  /** Prints times and sizes of one side. */
  def report(title: String, runs: Seq[HopRun], batchMs: Double): Unit = {
    val (wall, cpu) = (runs.map(_.wallSeconds), runs.map(_.cpuSeconds))
    val last = runs.last
    println(
      f" $title: min ${wall.min}%.2f s, median ${Pairs.median(wall)}%.2f s; cpu min ${cpu.min}%.1f " +
        f"s, median ${Pairs.median(cpu)}%.1f s; ${runs.map(_.rowsPerSecond).max}%d rows/s at best"
    )
    println(
      f" $title: ${last.batches} batches, of which ${last.batches * batchMs / 1e3}%.1f s are fixed; " +
        f"at most ${last.stateRows} rows and ${last.stateMb}%.0f MB of state; shuffled " +
        f"${last.shuffledRows} rows, ${last.shuffledMb}%.1f MB; ${last.outputRows} rows out"
    )
    if (last.side != Side.Spark.name && !last.frames) println(s" $title: planned without frames")
  }

  /** Prints Spark's time, state and shuffle as multiples of Tidegate's. */
  def ratios(title: String, sparks: Seq[HopRun], tidegates: Seq[HopRun]): Unit = {
    val (spark, tidegate) = (sparks.last, tidegates.last)
    println(
      s" $title, Spark / Tidegate: ${Pairs.ratios(tidegates.map(_.took), sparks.map(_.took))}"
    )
    println(
      f" $title, Spark / Tidegate: state rows ${spark.stateRows.toDouble / tidegate.stateRows}%.1f, " +
        f"state bytes ${spark.stateMb / tidegate.stateMb}%.1f, " +
        f"shuffled rows ${spark.shuffledRows.toDouble / tidegate.shuffledRows}%.1f, " +
        f"shuffled bytes ${spark.shuffledMb / tidegate.shuffledMb}%.1f"
    )
  }

  /** Prints the ratio of the times without the fixed cost of the batches. */
  def beyondBatches(
      title: String,
      sides: Seq[Seq[HopRun]],
      batchMs: Seq[Double]
  ): Unit = {
    val left = sides.zip(batchMs).map { case (runs, ms) =>
      runs.map(r => r.wallSeconds - r.batches * ms / 1e3).min
    }
    println(
      f" $title, without the fixed cost of batches: ${left.head}%.2f s / ${left(1)}%.2f s = " +
        f"${left.head / left(1)}%.1f"
    )
  }
}
