package tidegate.bench.order

import tidegate.bench._

/**
 * Compares event-time order with what users write with `foreachBatch`: `make bench-order`.
 *
 * Both sides run in turn in one process, and once each in separate processes, to measure their
 * memory. The benchmark fails if the sides emit different rows, or rows that are not in order. The
 * README of the benchmarks lists the options.
 */
object OrderBenchmark {

  def main(arguments: Array[String]): Unit = {
    val settings = OrderSettings.parse(arguments.toSeq)
    ProcessMemory.watch()
    BenchSession.use() { spark =>
      val arrivals = Arrivals.ensure(spark, settings.data, settings.shape)
      val runner = new OrderRunner(spark, arrivals)
      if (settings.part == "once") {
        val side = Side.all.find(_.name == settings.side).get
        val _ = runner.run(side, settings.states.head)
      } else settings.states.foreach(compare(runner, settings, _))
    }
  }

  private def compare(runner: OrderRunner, settings: OrderSettings, state: String): Unit = {
    println(s"order: ${settings.shape}, state in $state, ${settings.pairs} rounds")
    val results = Side.all.map(runner.result(_, state))
    require(results.distinct.size == 1, s"the sides put out different rows: $results")
    println(s" rows out, in order and with the same hash: ${results.head.rows}")
    val rounds = (1 to settings.pairs).map { round =>
      val sides = if (round % 2 == 1) Side.all else Side.all.reverse
      val runs = sides.map(runner.run(_, state))
      if (round % 2 == 1) runs else runs.reverse
    }
    if (rounds.nonEmpty) report(rounds.transpose)
    Side.all.foreach(cold(settings, state, _))
  }

  private def report(sides: Seq[Seq[OrderRun]]): Unit = {
    sides.foreach { runs =>
      val (wall, cpu) = (runs.map(_.wallSeconds), runs.map(_.cpuSeconds))
      println(
        f" warm, ${runs.head.side}: min ${wall.min}%.2f s, median ${Pairs.median(wall)}%.2f s; cpu " +
          f"min ${cpu.min}%.1f s; ${runs.map(_.rowsPerSecond).max}%d rows/s at best; at most " +
          f"${runs.last.stateRows} rows and ${runs.last.stateMb}%.0f MB of state"
      )
    }
    val Seq(byHand, tidegate) = sides.map(_.map(_.took)): @unchecked
    println(s" warm, foreachBatch / Tidegate: ${Pairs.ratios(tidegate, byHand)}")
  }

  private def cold(settings: OrderSettings, state: String, side: Side): Unit = {
    val options = Seq(
      "--rows" -> settings.rows,
      "--keys" -> settings.keys,
      "--rate" -> settings.rate,
      "--disorder" -> settings.disorder,
      "--files" -> settings.files,
      "--states" -> state,
      "--side" -> side.name,
      "--data" -> settings.data
    ).flatMap { case (name, value) => Seq(name, value.toString) }
    val main = getClass.getName.stripSuffix("$")
    val run = OrderRun.parse(ChildProcess.json(settings.heap, Seq(main, "once") ++ options))
    println(
      f" cold, ${run.side}, heap of ${settings.heap}: ${run.wallSeconds}%.2f s, " +
        s"${run.rowsPerSecond} rows/s; at most ${run.peakRssMb} MB resident, ${run.peakHeapMb} MB " +
        "of the heap after a collection"
    )
  }
}
