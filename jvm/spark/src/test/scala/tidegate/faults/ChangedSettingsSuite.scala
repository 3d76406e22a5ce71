package tidegate
package faults

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.settings.Settings

/**
 * Each setting of Tidegate, and settings of Spark that concern streams, with another value in the
 * second run on a checkpoint: the rows are those of a query that was stopped at the same place and
 * kept its settings.
 */
class ChangedSettingsSuite extends RestartTest {

  /** Another value of each of our settings than the default. */
  private val ours = Map[String, String](
    Settings.MaxSubstreams.key -> "10",
    Settings.ForgetAfter.key -> "1 hour",
    Settings.WindowsEnabled.key -> "false",
    Settings.WindowsMaxInputBytes.key -> "1k",
    Settings.WindowsMaxPerRow.key -> "100",
    Settings.UnboundedJoin.key -> "error",
    Settings.OverRetention.key -> "1 day",
    // The join has bounds of its own.
    Settings.JoinTimeToLive.key -> "1 second",
    Settings.JoinEnabled.key -> "false",
    Settings.SessionsEnabled.key -> "false",
    Settings.DeduplicationEnabled.key -> "false",
    Settings.StateSharesVersions.key -> "false",
    Settings.ClosesInSameBatch.key -> "nextBatch",
    Settings.NoDataBatchesOnlyWhenDue.key -> "false",
    Settings.ObserveLastBatch.key -> "false",
    Settings.LogValues.key -> "false",
    Settings.LateLogPayloadChars.key -> "0",
    Settings.LateLogLinesPerMinute.key -> "0",
    Settings.StallWarning.key -> "1 second",
    Settings.ProgressBatches.key -> "0",
    Settings.ProgressEvents.key -> "0",
    Settings.MaxLateRowsPerBatch.key -> "1",
    Settings.UiEnabled.key -> "false",
    // The query has no watermark of Spark's, and its checkpoint is its own.
    Settings.ReplaceWithWatermark.key -> "true",
    Settings.AdoptCheckpoint.key -> "true",
    Settings.AdoptWatch.key -> "1 second"
  )

  /** With another lateness, other rows are late. */
  private val lateness = Settings.SlowestDecides.key

  private val ofSpark = Map(
    "spark.sql.session.timeZone" -> "America/New_York",
    "spark.sql.ansi.enabled" -> "false",
    "spark.sql.caseSensitive" -> "true",
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.shuffle.partitions" -> "3",
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.stateStore.minDeltasForSnapshot" -> "1",
    "spark.sql.streaming.statefulOperator.checkCorrectness.enabled" -> "false",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "true",
    "spark.sql.optimizer.excludedRules" ->
      "org.apache.spark.sql.catalyst.optimizer.PushDownPredicates",
    "spark.sql.timestampType" -> "TIMESTAMP_NTZ"
  )

  private val rows = Seq(
    Seq(event("a", 5), event("b", 5), event("b", 6, 2)),
    Seq(event("a", 15), event("b", 17), event("a", 15)),
    Seq(event("a", 26), event("b", 25, 2)),
    Seq(event("a", 27), event("b", 29), event("b", 3), event("a", 36, 3)),
    Seq(event("a", 44), event("b", 49), event("a", 44)),
    Seq(event("a", 95), event("b", 95))
  )

  /** A deduplication, an outer join of two watermarks, and windows from frames. */
  private def query(in: Path): DataFrame = {
    val first = stream(in).withKeyedWatermark(
      "time",
      "2 seconds",
      substream = Seq("sub"),
      idleTimeout = null,
      name = "first"
    )
    val second = stream(in)
      .select(col("n").as("id"), col("time").as("other_time"))
      .withKeyedWatermark("other_time", "1 second", key = 1, name = "second")
    first
      .dropDuplicates("time", "n", "sub")
      .join(
        second,
        expr("n = id AND other_time BETWEEN time AND time + INTERVAL 3 SECONDS"),
        "leftOuter"
      )
      .groupBy(window(col("time"), "10 seconds", "5 seconds"))
      .agg(count("*"), count("id"))
  }

  /** The rows of each run, with the settings of each run. */
  private def outcome(runs: Map[String, String]*): Seq[Seq[String]] = {
    val (in, checkpoint) = (files(), newCheckpoint())
    runs.zipWithIndex.map { case (settings, i) =>
      val half = rows.size / 2
      (i * half until (i + 1) * half).foreach(n => addFile(in, n, rows(n)))
      withConf(settings.toSeq: _*) {
        val run = new Run(query(in), checkpoint).start().settle()
        val late = run.lateRows.toSeq.sorted.map { case (name, n) => s"$name: $n late" }
        run.stop()
        run.answer ++ late
      }
    }
  }

  private lazy val unchanged = outcome(Map.empty, Map.empty)

  test("each of our settings is tried") {
    assert(ours.keySet + lateness === Settings.all.map(_.key).toSet)
    assert(unchanged.forall(_.exists(!_.contains("late"))), "windows in both runs")
    assert(unchanged.exists(_.exists(_.contains("late"))), "late rows")
  }

  for ((key, value) <- (ours ++ ofSpark).toSeq.sorted) {
    val other = Map(key -> value)
    // Versions are shared in memory alone.
    val store = if (key == Settings.StateSharesVersions.key) "HDFSBacked" else "RocksDB"
    test(s"$key = $value in the second run")(on(store) {
      assert(outcome(Map.empty, other).last === unchanged.last)
    })

    test(s"$key = $value in the first run")(on(store) {
      assert(outcome(other, Map.empty).flatten.sorted === unchanged.flatten.sorted)
    })
  }

  /** The rows of each window. */
  private def counts(answer: Seq[String]): Map[String, Int] = {
    val windows = answer.filterNot(_.endsWith("late")).map(_.split('|'))
    assert(windows.map(_.head).distinct.size === windows.size, "no window comes twice")
    windows.map(columns => columns(0) -> columns(1).toInt).toMap
  }

  private val (own, slowest) = (Map.empty[String, String], Map(lateness -> "slowest"))

  Seq("second" -> Seq(own, slowest), "first" -> Seq(slowest, own)).foreach { case (run, settings) =>
    onRocksDb(s"$lateness = slowest in the $run run") {
      val found = counts(outcome(settings: _*).flatten)
      // The slowest watermark is never ahead of an operator's own.
      counts(unchanged.flatten).foreach { case (window, n) => assert(found(window) >= n) }
    }
  }
}
