package tidegate.bench.snapshot

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{Encoders, SparkSession}
import tidegate._
import tidegate.bench.{BenchSession, Pairs, States}

/**
 * Measures how much longer the batches of a query take while snapshots of its state are exported
 * one after the other, and how fast an export is.
 */
object SnapshotBenchmark {
  private val Keys = 500000L
  private val RowsOfBatch = 10000L
  private val Batches = 10
  private val Rounds = 3

  def main(args: Array[String]): Unit =
    args.headOption.fold(States.Names)(_.split(',').toSeq).foreach { state =>
      val settings = States.settings(state).toSeq
      BenchSession.use(settings: _*)(run(_, state))
    }

  private def run(spark: SparkSession, state: String): Unit = {
    val folder = Files.createTempDirectory("bench-snapshot")
    val in = MemoryStream[Long](Encoders.scalaLong, spark)
    val query = in
      .toDF()
      .select(col("value").as("id"), timestamp_millis(col("value")).as("time"))
      .withKeyedWatermark("time", "1000 days")
      .dropDuplicates("id", "time")
      .writeStream
      .format("noop")
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .start()
    try {
      var next = 0L
      def batch(rows: Long): Long = {
        in.addData(next until next + rows)
        next += rows
        val begin = System.nanoTime
        query.processAllAvailable()
        (System.nanoTime - begin) / 1000000L
      }
      batch(Keys)
      (1 to Batches).foreach(_ => batch(RowsOfBatch))
      val rounds = (1 to Rounds).map { round =>
        val alone = Seq.fill(Batches)(batch(RowsOfBatch))
        val exports = new Exports(query, folder.resolve(s"snapshots-$round"))
        val beside = Seq.fill(Batches)(batch(RowsOfBatch))
        (alone, beside, exports.end())
      }
      report(state, rounds)
    } finally {
      query.stop()
      FileUtils.deleteQuietly(folder.toFile)
      ()
    }
  }

  private def report(
      state: String,
      rounds: Seq[(Seq[Long], Seq[Long], Seq[(Long, Long)])]
  ): Unit = {
    def median(ms: Seq[Long]) = Pairs.median(ms.map(_.toDouble))
    val (alone, beside) = (rounds.flatMap(_._1), rounds.flatMap(_._2))
    val exports = rounds.flatMap(_._3)
    val ratios = rounds.map { case (a, b, _) => median(b) / median(a) }
    println(
      f"$state: a batch alone median ${median(alone)}%.0f ms, longest ${alone.max} ms; beside " +
        f"exports median ${median(beside)}%.0f ms, longest ${beside.max} ms; ratio of medians " +
        f"min ${ratios.min}%.2f, median ${Pairs.median(ratios)}%.2f; ${exports.size} exports, " +
        f"median ${median(exports.map(_._1))}%.0f ms for ${median(exports.map(_._2)) / 1e6}%.0f MB"
    )
  }
}

/** Exports one snapshot after the other, until told to end. */
private final class Exports(query: StreamingQuery, folder: Path) {
  @volatile private var isOver = false
  private var done = Seq.empty[(Long, Long)]

  private val thread = new Thread(() =>
    while (!isOver) {
      val begin = System.nanoTime
      val info = exportSnapshot(query, folder.resolve(done.size.toString).toString)
      done :+= ((System.nanoTime - begin) / 1000000L -> info.bytes)
    }
  )
  thread.start()

  /** How long each export took, in ms, and how many bytes it wrote. */
  def end(): Seq[(Long, Long)] = {
    isOver = true
    thread.join()
    FileUtils.deleteQuietly(folder.toFile)
    done
  }
}
