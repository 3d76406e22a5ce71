package tidegate.bench.join

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQueryProgress, Trigger}
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.bench.{FlinkRun, Pairs, Result, Took}

/** One run of the join over the files: its progress reports, and the checkpoint with its state. */
private[join] final case class JoinRun(progress: Seq[StreamingQueryProgress], checkpoint: Path) {

  def outputRows: Long = {
    val rows = progress.map(_.sink.numOutputRows)
    require(rows.forall(_ >= 0), s"a batch did not count its output rows: $rows")
    rows.sum
  }

  def delete(): Unit = FileUtils.deleteDirectory(checkpoint.toFile)

  /** The batch that ended with the most rows in the state. */
  def fullest: StreamingQueryProgress = progress.maxBy(JoinRun.stateRows)
}

private[join] object JoinRun {
  def stateRows(batch: StreamingQueryProgress): Long = batch.stateOperators.map(_.numRowsTotal).sum

  def stateBytes(batch: StreamingQueryProgress): Long =
    batch.stateOperators.map(_.memoryUsedBytes).sum
}

/**
 * The inner join over the files, alternately with Spark's watermarks and with keyed ones.
 *
 * @param flush
 *   whether to read also the rows an hour later, which empty the state
 * @param flink
 *   the same join over the same files in Flink, if it takes part
 */
private[join] final class JoinPairs(
    files: OrderFiles,
    watermarks: Watermarks,
    flush: Boolean,
    flink: Option[() => FlinkRun] = None
) {
  private var runs = Map.empty[String, JoinRun]
  private var outdated = Seq.empty[JoinRun]
  private var results = Map.empty[String, Result]

  /** Measures and prints; returns the last run of each side, whose checkpoint still exists. */
  def run(pairs: Int): Map[String, JoinRun] = {
    val sparks = watermarks.sides.map { case (name, add) =>
      () => Pairs.took(once(name, add(files.read(flush))))
    }
    val sides = sparks ++ flink.map(run => () => checked(run()))
    val times = Pairs.compare(pairs, before = () => cleanUp())(sides: _*)
    cleanUp()
    require(results.values.toSet.size == 1, s"the sides put out different rows: $results")
    println(s" rows out, with the same hash on both sides: ${results.values.head.rows}")
    (watermarks.sides.map(_._1) ++ flink.map(_ => "Flink")).zip(times).foreach {
      case (name, took) =>
        val (wall, cpu) = (took.map(_.wall), took.map(_.cpu))
        println(
          f" $name: min ${wall.min}%.1f s, median ${Pairs.median(wall)}%.1f s; " +
            f"cpu min ${cpu.min}%.1f s, median ${Pairs.median(cpu)}%.1f s"
        )
    }
    println(s" ratio: ${Pairs.ratios(times(0), times(1))}")
    flink.foreach(_ => println(s" ratio to Flink: ${Pairs.ratios(times(2), times(1))}"))
    runs
  }

  /** What Flink took; its first run is after those of the others, whose rows are known then. */
  private def checked(run: FlinkRun): Took = {
    results.values.foreach { r =>
      require(run.rows == r.rows, s"Flink: ${run.rows} rows, not ${r.rows}")
    }
    run.took
  }

  /** The first run of a side hashes its rows; the measured runs after it only count them. */
  private def once(name: String, streams: TwoStreams): Unit = {
    val done = results.get(name) match {
      case None =>
        var result = Result.Empty
        val first = finish(
          streams,
          _.foreachBatch { (rows: DataFrame, _: Long) =>
            result += Result.of(rows)
          }
        )
        results += name -> result
        first
      case Some(result) =>
        val next = finish(streams, _.format("noop"))
        require(next.outputRows == result.rows, s"$name: ${next.outputRows} rows, not $result")
        next
    }
    println(
      s"  $name: ${done.progress.size} batches, " +
        s"at most ${JoinRun.stateRows(done.fullest)} rows in the state"
    )
    outdated ++= runs.get(name)
    runs += name -> done
  }

  private def finish(
      streams: TwoStreams,
      sink: DataStreamWriter[Row] => DataStreamWriter[Row]
  ): JoinRun = {
    val checkpoint = Files.createTempDirectory("bench")
    val writer = streams
      .join("inner")
      .writeStream
      .outputMode("append")
      .trigger(Trigger.AvailableNow())
      .option("checkpointLocation", checkpoint.toString)
    val query = sink(writer).start()
    query.awaitTermination()
    JoinRun(query.recentProgress.toSeq, checkpoint)
  }

  /**
   * Spark keeps the state of a stopped query for up to a minute, where it would burden the next
   * one.
   */
  private def cleanUp(): Unit = {
    StateStore.stop()
    outdated.foreach(_.delete())
    outdated = Nil
    System.gc()
  }
}
