package tidegate.bench.order

import java.nio.file.{Files, Path}
import java.sql.Timestamp

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{Encoders, Row, SparkSession}
import tidegate.bench._

/** Runs one side after the other in a session. */
private[order] final class OrderRunner(spark: SparkSession, arrivals: Arrivals) {
  private var cold = true

  /** Runs a side into a sink that discards its rows; prints and returns the measurements. */
  def run(side: Side, state: String): OrderRun = {
    var query: StreamingQuery = null
    val took = inFolder(state) { work =>
      Pairs.took {
        query = side.run(arrivals, work)(_.write.format("noop").mode("overwrite").save())
      }
    }
    val batches = query.recentProgress.toSeq
    val run = OrderRun(
      side.name,
      state,
      cold,
      arrivals.shape.rows,
      rounded(took.wall),
      rounded(took.cpu),
      (arrivals.shape.rows / took.wall).toLong,
      batches.size,
      batches.map(_.stateOperators.map(_.numRowsTotal).sum).max,
      rounded(batches.map(_.stateOperators.map(_.memoryUsedBytes).sum).max / 1e6),
      ProcessMemory.peakRssMb,
      ProcessMemory.peakHeapMb
    )
    cold = false
    println(s"  ${run.json}")
    run
  }

  /**
   * The result, without the row that releases the others.
   *
   * @throws java.lang.IllegalArgumentException
   *   if the rows are not in order
   */
  def result(side: Side, state: String): Result = {
    var result = Result.Empty
    var before = new Timestamp(0)
    inFolder(state) { work =>
      side.run(arrivals, work) { released =>
        released.persist()
        val rows = released.where("key <> -1")
        val backwards = rows.mapPartitions(OrderRunner.backwards)(Encoders.scalaLong)
        val count = backwards.agg(coalesce(sum("value"), lit(0L))).head().getLong(0)
        require(count == 0, s"${side.name}: $count rows are older than the one before")
        val ends = rows.agg(coalesce(min("rt"), lit(before)), coalesce(max("rt"), lit(before)))
        val (first, last) = (ends.head().getTimestamp(0), ends.head().getTimestamp(1))
        require(!first.before(before), s"${side.name}: a batch has rows older than the one before")
        before = last
        result += Result.of(rows)
        released.unpersist()
        ()
      }
    }
    cold = false
    println(s"  ${side.name}, $state: $result")
    result
  }

  /**
   * Spark keeps the state of a stopped query for up to a minute, where it would burden the next
   * one.
   */
  private def inFolder[T](state: String)(body: Path => T): T = {
    States.settings(state).foreach { case (key, value) => spark.conf.set(key, value) }
    StateStore.stop()
    System.gc()
    val work = Files.createTempDirectory("bench")
    try body(work)
    finally FileUtils.deleteDirectory(work.toFile)
  }

  private def rounded(value: Double): Double = math.rint(value * 1000) / 1000
}

private[order] object OrderRunner {

  /** How many rows of a partition have an earlier time than the row before them. */
  private val backwards: Iterator[Row] => Iterator[Long] = rows => {
    var (count, before) = (0L, Long.MinValue)
    rows.foreach { row =>
      val now = row.getTimestamp(0).getTime
      if (now < before) count += 1
      before = now
    }
    Iterator.single(count)
  }
}
