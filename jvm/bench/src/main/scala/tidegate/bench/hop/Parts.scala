package tidegate.bench.hop

import org.apache.spark.sql.SparkSession

/** The parts of the benchmark; each prints its results. */
private[hop] final class Parts(spark: SparkSession, settings: HopSettings) {
  private val runner = new HopRunner(spark)
  private val batches = new BatchCost(runner, ensure(settings.oneRowABatch))

  def run(part: String): Unit = part match {
    case "hop60"    => settings.states.foreach(hop60)
    case "hop600"   => settings.states.take(1).foreach(hop600)
    case "curve"    => new Curve(runner, batches, settings).run(ensure(settings.shape(2000000)))
    case "empty"    => settings.states.foreach(empty)
    case "tumble"   => settings.states.foreach(plain("tumble: 10 s", Windows.Tumbling(10), _))
    case "session"  => settings.states.foreach(plain("session: gap 5 s", Windows.Session(5), _))
    case "cumulate" => settings.states.foreach(cumulate)
    case "large"    => settings.states.foreach(large)
    case "once"     => once()
  }

  private def ensure(shape: BidShape): Bids = Bids.ensure(spark, settings.data, shape)

  private def works(bids: Bids, size: Int, state: String, usualSides: String): Seq[Work] =
    works(bids, Windows.Sliding(size), state, usualSides)

  private def works(bids: Bids, windows: Windows, state: String, usual: String): Seq[Work] =
    settings.sidesOr(usual).map(Work(_, bids, windows, state))

  /** Windows of a minute: warm runs in this process, and cold runs in separate processes. */
  private def hop60(state: String): Unit = {
    val bids = ensure(settings.shape(2000000))
    println(s"hop60: 60 s by 1 s, ${bids.shape}, state in $state, ${settings.pairs} rounds")
    compare("warm", works(bids, 60, state, "both"), settings.pairs)
    coldRuns("cold", works(bids, 60, state, "both"), "once")
    coldRuns("cold, one row a batch", works(bids, 60, state, "both"), "empty")
  }

  private def compare(title: String, works: Seq[Work], rounds: Int): Seq[Seq[HopRun]] = {
    val sides = Comparison.alternate(runner, works, rounds)
    val batchMs = works.map(batches.milliseconds)
    works.zip(sides).zip(batchMs).foreach { case ((work, runs), ms) =>
      Comparison.report(s"$title, ${work.side.name}", runs, ms)
    }
    if (sides.size == 2) {
      Comparison.ratios(title, sides.head, sides(1))
      Comparison.beyondBatches(title, sides, batchMs)
    }
    sides
  }

  private def coldRuns(title: String, works: Seq[Work], part: String): Unit = {
    val runs = works.map(ChildRun(part, _, settings))
    runs.foreach { run =>
      println(
        f" $title, ${run.side}: ${run.wallSeconds}%.2f s, cpu ${run.cpuSeconds}%.1f s; at most " +
          s"${run.peakRssMb} MB resident, ${run.peakHeapMb} MB of the heap after a collection"
      )
    }
    if (runs.size == 2) Comparison.ratios(title, Seq(runs.head), Seq(runs(1)))
  }

  /** Windows or sessions that do not overlap, warm. */
  private def plain(title: String, windows: Windows, state: String): Unit = {
    val bids = ensure(settings.shape(5000000))
    println(s"$title, ${bids.shape}, state in $state, ${settings.pairs} rounds")
    compare("warm", works(bids, windows, state, "both"), settings.pairs)
  }

  /**
   * Windows of ten minutes. Spark needs minutes for a tenth of the rows, because code that is not
   * compiled copies every row 600 times. So Spark gets few rows, and the comparison is in rows per
   * second.
   */
  private def hop600(state: String): Unit = {
    val few = ensure(settings.shape(settings.sparkRows, few = true).copy(rows = settings.sparkRows))
    println(s"hop600: 600 s by 1 s, ${few.shape}, state in $state, ${settings.pairs} rounds")
    val sides = compare("few rows", works(few, 600, state, "both"), settings.pairs)
    if (settings.side.forall(_ != "spark") && sides.last.forall(_.frames)) {
      val bids = ensure(settings.shape(2000000, few = true))
      println(s"hop600: 600 s by 1 s, ${bids.shape}, state in $state, ${settings.pairs} rounds")
      val many =
        compare("many rows", works(bids, 600, state, "tidegate").takeRight(1), settings.pairs)
      if (sides.size == 2) {
        def best(runs: Seq[HopRun]) = runs.map(_.rowsPerSecond).max
        println(f" rows/s, Tidegate / Spark: ${best(many.head).toDouble / best(sides.head)}%.0f")
      }
    }
  }

  /** The fixed cost of a batch, with one row in each. */
  private def empty(state: String): Unit =
    settings.sidesOr("both").foreach { side =>
      println(f"empty, $state: ${batches.milliseconds(side, state)}%.0f ms a batch, ${side.name}")
    }

  /**
   * Windows that grow up to an hour: by a minute on both sides; then in fewer and more steps, to
   * show what a step costs. The stream is a little longer than an hour.
   */
  private def cumulate(state: String): Unit = {
    val shape = settings.shape(2000000)
    val bids = ensure(shape.copy(rate = settings.rate.getOrElse(500)))
    def by(step: Int) = Windows.Growing(step, 3600)
    println(
      s"cumulate: up to 1 h by 60 s, ${bids.shape}, state in $state, ${settings.pairs} rounds"
    )
    compare("by 60 s", works(bids, by(60), state, "both"), settings.pairs)
    Seq(600, 6).foreach { step =>
      println(s"cumulate: up to 1 h by $step s, state in $state")
      val one = works(bids, by(step), state, "tidegate").takeRight(1)
      compare(s"by $step s", one, settings.pairs)
    }
  }

  private def large(state: String): Unit = {
    val bids = ensure(settings.shape(20000000))
    println(s"large: 60 s by 1 s, ${bids.shape}, state in $state, ${settings.pairs} rounds")
    compare("large", works(bids, 60, state, "tidegate"), settings.pairs)
  }

  /** A cold run and then `pairs` warm runs, without a check of the results. */
  private def once(): Unit = {
    val bids = ensure(settings.shape(2000000))
    works(bids, settings.size, settings.states.head, "tidegate").foreach { work =>
      (0 to settings.pairs).foreach(_ => runner.run(work))
    }
  }
}
