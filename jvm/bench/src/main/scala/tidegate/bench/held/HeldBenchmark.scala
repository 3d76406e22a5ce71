package tidegate.bench.held

import java.nio.file.Files

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.{StreamingQueryProgress, Trigger}
import tidegate.bench.{BenchSession, Pairs, States}

/**
 * Measures what a small batch costs over a state that holds few keys, and over one that holds many,
 * with Spark's watermark and with a keyed one: `make bench-held`.
 */
object HeldBenchmark {

  def main(arguments: Array[String]): Unit = {
    val settings = HeldSettings.parse(arguments.toSeq)
    BenchSession.use(BenchSession.DirectRename) { spark =>
      for (query <- settings.queries; state <- settings.states) {
        println(s"${query.name}, $state")
        val runs = for (side <- settings.sides; keys <- settings.keys) yield (side, keys)
        val batches = (1 to settings.rounds).flatMap { round =>
          (if (round % 2 == 0) runs.reverse else runs).map { case run @ (side, keys) =>
            run -> new HeldRun(spark, settings, query, state, side, keys).batches()
          }
        }
        report(settings, batches.groupMap(_._1)(_._2))
      }
    }
  }

  private def report(
      settings: HeldSettings,
      batches: Map[(String, Long), Seq[HeldBatches]]
  ): Unit = {
    def ms(side: String, keys: Long) = batches((side, keys)).flatMap(_.ms)
    for (side <- settings.sides; keys <- settings.keys) {
      val of = batches((side, keys))
      val growth = Pairs.median(ms(side, keys)) / Pairs.median(ms(side, settings.keys.head))
      println(
        f"  $side%-8s $keys%10d keys: batch min ${ms(side, keys).min}%.0f ms, median " +
          f"${Pairs.median(ms(side, keys))}%.0f ms, $growth%.2f of ${settings.keys.head} keys; " +
          f"loaded in ${of.map(_.loadMs).min}%.0f ms; ${of.head.stateRows} rows, " +
          f"${of.head.stateBytes / 1e6}%.0f MB in the state"
      )
    }
  }
}

/**
 * @param loadMs
 *   how long the batch with all keys took
 * @param ms
 *   how long each batch after it took
 * @param stateRows
 *   at the end, of all operators; `stateBytes` likewise
 */
private[held] final case class HeldBatches(
    loadMs: Double,
    ms: Seq[Double],
    stateRows: Long,
    stateBytes: Long
)

private[held] final class HeldRun(
    spark: SparkSession,
    settings: HeldSettings,
    query: HeldQuery,
    state: String,
    side: String,
    keys: Long
) {

  def batches(): HeldBatches = {
    States.settings(state).foreach { case (key, value) => spark.conf.set(key, value) }
    // Spark keeps the state of a stopped query for up to a minute.
    StateStore.stop()
    System.gc()
    val streams = query.streams.zipWithIndex.map { case (name, i) =>
      HeldQuery.watermarked(
        side,
        HeldRows.ensure(spark, settings.data, name, keys).read(),
        key = i
      )
    }
    val checkpoint = Files.createTempDirectory("bench-held")
    try {
      val running = query
        .over(streams)
        .writeStream
        .format("noop")
        .trigger(Trigger.AvailableNow())
        .option("checkpointLocation", checkpoint.toString)
        .start()
      running.awaitTermination()
      summary(running.recentProgress.toSeq.filter(_.numInputRows > 0))
    } finally {
      val _ = FileUtils.deleteQuietly(checkpoint.toFile)
    }
  }

  private def summary(batches: Seq[StreamingQueryProgress]): HeldBatches = {
    require(batches.size == 1 + HeldRows.Batches, s"${batches.size} batches had rows")
    val operators = batches.last.stateOperators
    HeldBatches(
      batches.head.batchDuration.toDouble,
      batches.tail.map(_.batchDuration.toDouble),
      operators.map(_.numRowsTotal).sum,
      operators.map(_.memoryUsedBytes).sum
    )
  }
}
