package tidegate.bench.hop

import tidegate.bench.ChildProcess

/**
 * The first run of a part in a separate process, whose memory nothing else has used: `once`, or
 * `empty` for the cost that does not depend on the rows.
 */
private[hop] object ChildRun {

  /** @throws java.lang.IllegalStateException if the process fails, with what it printed */
  def apply(part: String, work: Work, settings: HopSettings): HopRun = {
    val run = HopRun.parse(ChildProcess.json(settings.heap, arguments(part, work, settings)))
    println(s"  ${run.json}")
    run
  }

  private def arguments(part: String, work: Work, settings: HopSettings): Seq[String] = {
    val shape = work.bids.shape
    val options = Seq(
      "--rows" -> shape.rows,
      "--keys" -> shape.keys,
      "--rate" -> shape.rate,
      "--files" -> shape.files,
      "--size" -> work.windows.sizeSeconds,
      "--pairs" -> 0,
      "--states" -> work.state,
      "--side" -> (if (work.side == Side.Spark) "spark" else "tidegate"),
      "--data" -> settings.data
    )
    Seq("tidegate.bench.hop.HopBenchmark", part) ++
      options.flatMap { case (name, value) => Seq(name, value.toString) } ++
      Option.when(settings.sql)("--sql")
  }
}
