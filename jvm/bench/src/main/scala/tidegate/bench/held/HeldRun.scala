package tidegate.bench.held

import java.nio.file.Files

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.{StreamingQueryProgress, Trigger}
import tidegate.bench.{FlinkProcess, FlinkRun, Pairs, States, Took}

/**
 * What the rows after those that filled the state took.
 *
 * @param whole
 *   what all of them took, in Spark the sum over the batches, and the number of rows that the query
 *   put out; none if the query did not end within the limit
 * @param ms
 *   how long each batch took that has ended, if there were batches
 * @param note
 *   what else there is to say of the side, in words
 */
private[held] final case class HeldResult(
    whole: Option[(Took, Long)],
    ms: Seq[Double],
    note: String
) {
  def hasEnded: Boolean = whole.isDefined

  /** For one line of the progress. */
  def text: String = {
    val all = whole.map { case (took, _) =>
      f"all batches ${took.wall}%.2f s, cpu ${took.cpu}%.2f s"
    }
    val each = if (ms.isEmpty) None else Some(f"a batch ${Pairs.median(ms)}%.0f ms")
    (all.toSeq ++ each :+ note).mkString("; ")
  }
}

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
    val (folders, limit) = (rows.map(_.folder), settings.limitSeconds)
    flink.get.changes(oneByOne, query.name, state, loaded, others, folders, limit) match {
      case Some(FlinkRun(took, resultRows, parts)) =>
        val (ms, note) =
          if (oneByOne) (parts.map(_ * 1000), "with a checkpoint each")
          else (Nil, f"the last checkpoint ${parts.head}%.2f s")
        HeldResult(Some((took, resultRows)), ms, note)
      case None => HeldResult(None, Nil, s"not done after $limit s")
    }
  }

  private def inSpark(side: String, rows: Seq[HeldRows]): HeldResult = {
    States.settings(state).foreach { case (key, value) => spark.conf.set(key, value) }
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
      val hasEnded = running.awaitTermination(settings.limitSeconds * 1000L)
      if (!hasEnded) running.stop()
      summary(running.recentProgress.toSeq, clock, hasEnded)
    } finally {
      spark.streams.removeListener(clock)
      // Spark keeps the state of a stopped query for up to a minute. And threads of RocksDB that still
      // work when the process ends would bring it down.
      StateStore.stop()
      val _ = FileUtils.deleteQuietly(checkpoint.toFile)
    }
  }

  private def summary(
      all: Seq[StreamingQueryProgress],
      clock: BatchClock,
      hasEnded: Boolean
  ): HeldResult = {
    val batches = all.filter(_.numInputRows > 0)
    val ms = batches.drop(1).map(_.batchDuration.toDouble)
    if (hasEnded) {
      require(batches.size == 1 + HeldRows.Batches, s"${batches.size} batches had rows")
      val took = Took(ms.sum / 1000, clock.seconds(batches.head.batchId, batches.last.batchId))
      HeldResult(Some((took, all.map(_.sink.numOutputRows).sum)), ms, held(batches))
    } else {
      val note = s"not done after ${settings.limitSeconds} s: ${ms.size} of ${HeldRows.Batches}"
      HeldResult(
        None,
        ms,
        (note +: batches.headOption.map(_ => held(batches)).toSeq).mkString("; ")
      )
    }
  }

  private def held(batches: Seq[StreamingQueryProgress]): String = {
    val operators = batches.last.stateOperators
    def megabytes(batch: StreamingQueryProgress, metric: String): Option[String] = {
      val found = batch.stateOperators.flatMap(o => Option(o.customMetrics.get(metric)))
      Option.when(found.nonEmpty)(f"${found.map(_.longValue).sum / 1e6}%.0f MB")
    }
    // Each row of the state is written once by the batch that fills it. RocksDB says of memory only
    // how much its buffers and caches take.
    val bytes = megabytes(batches.head, Written).fold(
      f"${operators.map(_.memoryUsedBytes).sum / 1e6}%.0f MB in the state"
    ) { written =>
      val files = megabytes(batches.last, InFiles).getOrElse("nothing")
      s"$written written while it was loaded, $files in its files at the end"
    }
    s"loaded in ${batches.head.batchDuration} ms; ${operators.map(_.numRowsTotal).sum} rows, $bytes"
  }

  /** What RocksDB was given to put into the state in a batch, before it is compressed. */
  private val Written = "rocksdbTotalBytesWritten"

  /**
   * The compressed size of its sorted files. With a changelog, what is in its write buffers is not
   * in them yet.
   */
  private val InFiles = "rocksdbSstFileSize"
}
