package tidegate.bench.held

import java.nio.file.Files

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.{StreamingQueryProgress, Trigger}
import tidegate.bench.{FlinkProcess, FlinkRun, States, Took}

/**
 * What the rows after those that filled the state took.
 *
 * @param took
 *   in Spark the sum over the batches
 * @param resultRows
 *   of the whole query
 * @param ms
 *   how long each batch took, if there were batches
 * @param note
 *   what else there is to say of the side, in words
 */
private[held] final case class HeldResult(
    took: Took,
    resultRows: Long,
    ms: Seq[Double],
    note: String
)

/** One query with its state in one kind of store. */
private[held] final class HeldRun(
    spark: SparkSession,
    flink: Option[FlinkProcess],
    settings: HeldSettings,
    query: HeldQuery,
    state: String
) {

  def run(side: String, keys: Long): HeldResult = {
    val rows = query.streams.map(HeldRows.ensure(spark, settings.data, _, keys, query.isSpread))
    side match {
      case HeldSettings.Flink     => inFlink(oneByOne = false, keys, rows)
      case HeldSettings.FlinkEach => inFlink(oneByOne = true, keys, rows)
      case _                      => inSpark(side, rows)
    }
  }

  private def inFlink(oneByOne: Boolean, keys: Long, rows: Seq[HeldRows]): HeldResult = {
    val loaded = rows.size * keys
    val others = rows.size.toLong * HeldRows.Batches * HeldRows.BatchRows
    val FlinkRun(took, resultRows, parts) =
      flink.get.changes(oneByOne, query.name, state, loaded, others, rows.map(_.folder))
    if (oneByOne) HeldResult(took, resultRows, parts.map(_ * 1000), "with a checkpoint each")
    else HeldResult(took, resultRows, Nil, f"the last checkpoint ${parts.head}%.2f s")
  }

  private def inSpark(side: String, rows: Seq[HeldRows]): HeldResult = {
    States.settings(state).foreach { case (key, value) => spark.conf.set(key, value) }
    // Spark keeps the state of a stopped query for up to a minute.
    StateStore.stop()
    System.gc()
    val streams = rows.zipWithIndex.map { case (stream, i) =>
      query.watermarked(side, stream.read(), key = i)
    }
    val checkpoint = Files.createTempDirectory("bench-held")
    val clock = new BatchClock
    spark.streams.addListener(clock)
    try {
      val running = query
        .over(streams)
        .writeStream
        .format("noop")
        .trigger(Trigger.AvailableNow())
        .option("checkpointLocation", checkpoint.toString)
        .start()
      running.awaitTermination()
      summary(running.recentProgress.toSeq, clock)
    } finally {
      spark.streams.removeListener(clock)
      val _ = FileUtils.deleteQuietly(checkpoint.toFile)
    }
  }

  private def summary(all: Seq[StreamingQueryProgress], clock: BatchClock): HeldResult = {
    val batches = all.filter(_.numInputRows > 0)
    require(batches.size == 1 + HeldRows.Batches, s"${batches.size} batches had rows")
    val ms = batches.tail.map(_.batchDuration.toDouble)
    val operators = batches.last.stateOperators
    HeldResult(
      Took(ms.sum / 1000, clock.seconds(batches.head.batchId, batches.last.batchId)),
      all.map(_.sink.numOutputRows).sum,
      ms,
      f"loaded in ${batches.head.batchDuration} ms; ${operators.map(_.numRowsTotal).sum} rows, " +
        f"${operators.map(_.memoryUsedBytes).sum / 1e6}%.0f MB in the state"
    )
  }
}
