package tidegate.execution.calls

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import tidegate.core.async.CallTimes
import tidegate.plans.CallColumns

/**
 * Counts the calls of a task.
 *
 * @param places
 *   where the columns of `CallColumns` are in a row
 */
private[calls] final class CallCounts(places: Seq[Int], metrics: Map[String, SQLMetric]) {
  import CallCounts._

  private val times = new CallTimes
  private var mostInFlight = 0

  /** Counts the call of a row, if the row tells of one. Returns whether it has a dead letter. */
  def note(row: InternalRow): Boolean = {
    if (!row.isNullAt(places(CallColumns.Micros))) {
      times.add(row.getLong(places(CallColumns.Micros)))
      metrics(Calls) += 1
      metrics(Retries) += row.getInt(places(CallColumns.Attempts)) - 1
      mostInFlight = math.max(mostInFlight, row.getInt(places(CallColumns.InFlight)))
      if (row.getBoolean(places(CallColumns.Failed))) metrics(Failed) += 1
    }
    val isDead = !row.isNullAt(places(CallColumns.DeadLetter))
    if (isDead) metrics(Dropped) += 1
    isDead
  }

  /** Shows what is known only at the end of the task. */
  def end(): Unit = {
    if (mostInFlight > 0) metrics(InFlight).set(mostInFlight.toDouble)
    for ((name, share) <- Seq(P50 -> 0.5, P99 -> 0.99); micros <- times.percentile(share))
      metrics(name).set(micros / 1000.0)
  }
}

object CallCounts {
  val Calls = "numCalls"
  val Retries = "numRetries"
  val Failed = "numFailedCalls"
  val Dropped = "numDeadLetters"
  val InFlight = "mostInFlight"
  val P50 = "callTimeP50"
  val P99 = "callTimeP99"

  /**
   * The metrics of a node; those of a task are shown as an average over tasks, and as min and max.
   */
  def metrics(context: SparkContext): Map[String, SQLMetric] = {
    def sum(name: String, text: String) = name -> SQLMetrics.createMetric(context, text)
    def ofTask(name: String, text: String) = name -> SQLMetrics.createAverageMetric(context, text)
    Map(
      sum(Calls, "number of calls"),
      sum(Retries, "number of retries"),
      sum(Failed, "number of failed calls"),
      sum(Dropped, "number of rows dropped to dead letters"),
      ofTask(InFlight, "most calls in flight"),
      ofTask(P50, "p50 of the calls in ms"),
      ofTask(P99, "p99 of the calls in ms")
    )
  }
}
