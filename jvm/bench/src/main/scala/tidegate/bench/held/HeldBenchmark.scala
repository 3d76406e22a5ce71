package tidegate.bench.held

import tidegate.bench.{BenchSession, FlinkProcess, Pairs, Took}

/**
 * Measures what a small batch costs over a state that holds few keys, and over one that holds many,
 * with Spark's watermark and with a keyed one: `make bench-held`; and what all batches together
 * take, beside Flink: `make bench-held-flink`.
 */
object HeldBenchmark {

  def main(arguments: Array[String]): Unit = {
    val settings = HeldSettings.parse(arguments.toSeq)
    BenchSession.use() { spark =>
      FlinkProcess.use(settings.flink) { flink =>
        for (query <- settings.queries; state <- settings.states) {
          println(s"${query.name}, $state")
          val one = new HeldRun(spark, flink, settings, query, state)
          new HeldReport(settings, settings.sidesOf(query), results(settings, one, query)).print()
        }
      }
    }
  }

  /**
   * The results of each side and number of keys, in the order of the rounds. What did not end
   * within the limit is not tried again.
   */
  private def results(
      settings: HeldSettings,
      one: HeldRun,
      query: HeldQuery
  ): Map[(String, Long), Seq[HeldResult]] = {
    val sides = settings.sidesOf(query)
    // The first run of a query compiles it, which the sum of few batches would show.
    val first = sides.map(side => side -> one.run(side, settings.keys.head))
    HeldReport.checkRows(first.map { case (side, result) => side -> Seq(result) })
    val runs = for (side <- sides; keys <- settings.keys) yield (side, keys)
    (1 to settings.rounds).foldLeft(Map.empty[(String, Long), Seq[HeldResult]]) { (before, round) =>
      val again = runs.filter(before.get(_).forall(_.last.hasEnded))
      (if (round % 2 == 0) again.reverse else again).foldLeft(before) {
        case (results, run @ (side, keys)) =>
          val result = one.run(side, keys)
          println(s"  round $round, $side, $keys keys: ${result.text}")
          results.updated(run, results.getOrElse(run, Nil) :+ result)
      }
    }
  }
}

/** What one query took with its state in one kind of store. */
private[held] final class HeldReport(
    settings: HeldSettings,
    sides: Seq[String],
    results: Map[(String, Long), Seq[HeldResult]]
) {

  def print(): Unit = {
    settings.keys.foreach { keys =>
      HeldReport
        .checkRows(sides.map(s => s -> results((s, keys))))
        .foreach(rows => println(f"  $keys%10d keys: $rows rows out on all sides"))
    }
    for (side <- sides; keys <- settings.keys) {
      println(f"  $side%-10s $keys%10d keys: ${sums(side, keys)}; ${details(side, keys)}")
    }
    for {
      base <- sides.filter(_ != "tidegate")
      if sides.contains("tidegate")
      keys <- settings.keys
      (others, ours) = (took(base, keys), took("tidegate", keys))
      if others.size == ours.size
    } println(f"  tidegate / $base, $keys%10d keys: ${Pairs.ratios(others, ours)}")
  }

  /** Of the rounds that have ended. */
  private def took(side: String, keys: Long): Seq[Took] =
    results((side, keys)).flatMap(_.whole).map(_._1)

  private def sums(side: String, keys: Long): String = {
    val (wall, cpu) = (took(side, keys).map(_.wall), took(side, keys).map(_.cpu))
    if (wall.isEmpty) "not all batches"
    else
      f"all batches min ${wall.min}%.2f s, median ${Pairs.median(wall)}%.2f s, cpu min " +
        f"${cpu.min}%.2f s, median ${Pairs.median(cpu)}%.2f s"
  }

  /** Of single batches, and of the first round. */
  private def details(side: String, keys: Long): String = {
    val (ms, first) = (batchMs(side, keys), batchMs(side, settings.keys.head))
    val note = results((side, keys)).head.note
    if (ms.isEmpty) note
    else {
      val growth =
        if (first.isEmpty) ""
        else f", ${Pairs.median(ms) / Pairs.median(first)}%.2f of ${settings.keys.head} keys"
      f"batch min ${ms.min}%.0f ms, median ${Pairs.median(ms)}%.0f ms$growth; $note"
    }
  }

  private def batchMs(side: String, keys: Long): Seq[Double] =
    results((side, keys)).flatMap(_.ms)
}

private[held] object HeldReport {

  /** The number of result rows, which must be that of all sides and rounds that have ended. */
  def checkRows(results: Seq[(String, Seq[HeldResult])]): Option[Long] = {
    val rows = results.map { case (side, of) => side -> of.flatMap(_.whole).map(_._2).distinct }
    val distinct = rows.flatMap(_._2).distinct
    require(distinct.size <= 1, s"the sides put out different rows: $rows")
    distinct.headOption
  }
}
