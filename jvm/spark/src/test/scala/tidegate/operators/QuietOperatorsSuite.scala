package tidegate
package operators

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.{SparkInternals, StateStoreWriter, WatermarkSupport}
import tidegate.settings.Settings

/** Spark's operators do not walk over their keys in a batch in which time stands still. */
class QuietOperatorsSuite extends RestartTest {

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "3 seconds")

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "windows in update mode" ->
      (keyed(_).groupBy(window(col("time"), "2 seconds"), col("sub")).count()),
    "dropDuplicates" -> (keyed(_).dropDuplicates("sub", "time").select("time", "sub"))
  )

  /** Whether the operator of the last batch had a limit by which it looks at each key. */
  private def walks(run: Run): Boolean = {
    val plan = SparkInternals.execution(run.query).get.lastExecution.executedPlan
    val limits = plan.collect { case w: StateStoreWriter with WatermarkSupport =>
      w.eventTimeWatermarkForEviction
    }
    limits.last.isDefined
  }

  for ((title, query) <- queries; isRestarted <- Seq(false, true))
    onBothStores(s"$title: a walk when time moves only, with restarts: $isRestarted") {
      withConf(Settings.DeduplicationEnabled.key -> "false") {
        val in = events()
        val run = new Run(query(in.toDF()), mode = OutputMode.Update()).start()
        def send(seconds: Double*): Seq[String] = {
          if (isRestarted) run.restart()
          in.addData(seconds.map(event("a", _)))
          run.query.processAllAvailable()
          run.take()
        }
        assert(send(10, 11).size > 0)
        // The watermark of the first rows, 8 seconds, moves the limit in this batch.
        assert(send(9.5).size === 1)
        assert(!walksAfterStandstill(run, send(11, 10.5)))
        assert(run.stateRows > 0)
        // All that was held leaves when time moves on.
        send(1000)
        send(1000.5)
        run.settle()
        assert(run.stateRows <= 2)
        assert(run.lateRows === Map.empty)
      }
    }

  private def walksAfterStandstill(run: Run, rows: Seq[String]): Boolean = {
    assert(rows.nonEmpty)
    walks(run)
  }
}
