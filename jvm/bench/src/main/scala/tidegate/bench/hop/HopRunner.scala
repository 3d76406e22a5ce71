package tidegate.bench.hop

import java.lang.management.ManagementFactory
import java.nio.file.Files

import scala.collection.mutable

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress, Trigger}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate.bench.{Pairs, ProcessMemory, Result, States, Took}

/** One side's query over one stream, with its state in one kind of store. */
private[hop] final case class Work(
    side: Side,
    bids: Bids,
    windows: Windows,
    state: String,
    filesPerBatch: Int = 2
)

/** Runs queries one after the other in a session. */
private[hop] final class HopRunner(spark: SparkSession) {
  private val shuffles = new ShuffleWrites(spark.sparkContext)
  private var cold = true

  /** Runs the query into a sink that discards its rows; prints and returns the measurements. */
  def run(work: Work): HopRun = {
    prepare(work)
    shuffles.take()
    val checkpoint = Files.createTempDirectory("bench")
    var query: StreamingQuery = null
    val took = Pairs.took {
      query = windows(work).writeStream
        .format("noop")
        .outputMode("append")
        .trigger(Trigger.AvailableNow())
        .option("checkpointLocation", checkpoint.toString)
        .start()
      query.awaitTermination()
    }
    val run = HopRunner.summary(work, query, took, shuffles.take(), cold)
    cold = false
    FileUtils.deleteDirectory(checkpoint.toFile)
    println(s"  ${run.json}")
    run
  }

  /** The result of the query, without the windows of the row that closes all others. */
  def result(work: Work): Result = {
    prepare(work)
    val checkpoint = Files.createTempDirectory("bench")
    var result = Result.Empty
    windows(work).writeStream
      .outputMode("append")
      .trigger(Trigger.AvailableNow())
      .option("checkpointLocation", checkpoint.toString)
      .foreachBatch((rows: DataFrame, _: Long) => result += Result.of(Side.comparable(rows)))
      .start()
      .awaitTermination()
    cold = false
    FileUtils.deleteDirectory(checkpoint.toFile)
    println(s"  ${work.side.name}, ${work.state}: $result")
    result
  }

  private def windows(work: Work): DataFrame =
    work.side.windows(work.bids.read(work.filesPerBatch), work.windows)

  /**
   * Spark keeps the state of a stopped query for up to a minute, where it would burden the next
   * one.
   */
  private def prepare(work: Work): Unit = {
    States.settings(work.state).foreach { case (key, value) => spark.conf.set(key, value) }
    StateStore.stop()
    System.gc()
  }
}

private[hop] object HopRunner {
  private val Own = Set("FrameAggregate", "SessionAggregate")

  private def summary(
      work: Work,
      query: StreamingQuery,
      took: Took,
      shuffled: (Long, Long),
      cold: Boolean
  ): HopRun = {
    val batches = query.recentProgress.toSeq
    val closing = batches.filter(_.numInputRows == 0)
    HopRun(
      side = work.side.name,
      state = work.state,
      cold = cold,
      frames = hasFrames(query),
      rows = work.bids.shape.rows,
      keys = work.bids.shape.keys,
      sizeSeconds = work.windows.sizeSeconds,
      wallSeconds = rounded(took.wall),
      cpuSeconds = rounded(took.cpu),
      rowsPerSecond = (work.bids.shape.rows / took.wall).toLong,
      outputRows = outputRows(batches),
      batches = batches.size,
      batchMs = Pairs.median(batches.map(milliseconds)),
      closingBatches = closing.size,
      closingMs = closing.map(milliseconds).sum,
      closingRows = outputRows(closing),
      stateRows = batches.map(_.stateOperators.map(_.numRowsTotal).sum).max,
      stateMb = rounded(batches.map(_.stateOperators.map(_.memoryUsedBytes).sum).max / 1e6),
      shuffledRows = shuffled._1,
      shuffledMb = rounded(shuffled._2 / 1e6),
      peakRssMb = ProcessMemory.peakRssMb,
      peakHeapMb = ProcessMemory.peakHeapMb,
      load = rounded(ManagementFactory.getOperatingSystemMXBean.getSystemLoadAverage)
    )
  }

  private def rounded(value: Double): Double = math.rint(value * 1000) / 1000

  private def milliseconds(batch: StreamingQueryProgress): Double =
    batch.durationMs.get("triggerExecution").doubleValue

  private def outputRows(batches: Seq[StreamingQueryProgress]): Long = {
    val rows = batches.map(_.sink.numOutputRows)
    require(rows.forall(_ >= 0), s"a batch did not count its output rows: $rows")
    rows.sum
  }

  private def hasFrames(query: StreamingQuery): Boolean =
    SparkInternals
      .execution(query)
      .exists(_.lastExecution.executedPlan.exists(node => Own(node.nodeName)))
}

/** The fixed cost of a batch: the time of a batch of the same query with one row in each batch. */
private[hop] final class BatchCost(runner: HopRunner, bids: Bids) {
  private val known = mutable.Map.empty[(Side, String), Double]

  /** The median over the batches of a run, after a run that warms up. */
  def milliseconds(side: Side, state: String): Double =
    known.getOrElseUpdate(
      (side, state), {
        val work = Work(side, bids, Windows.Sliding(60), state, filesPerBatch = 1)
        runner.run(work)
        runner.run(work).batchMs
      }
    )

  def milliseconds(work: Work): Double = milliseconds(work.side, work.state)
}
