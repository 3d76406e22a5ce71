package tidegate.clock

import org.apache.spark.internal.Logging
import org.apache.spark.sql.tidegate.{MicroBatchExecution, SparkInternals}
import tidegate.errors.CheckpointErrors

/**
 * How a run begins the checkpoint of its query, or goes on with the checkpoint. To be called by the
 * thread of the query.
 *
 * @param wasNew
 *   whether the checkpoint had no complete batch when the query was prepared
 */
final class Beginning private[clock] (query: MicroBatchExecution, wasNew: Boolean) extends Logging {
  private var hasBegun = false
  private var hasPutAside = false

  private def batchId: Long = query.getLatestExecutionContext().batchId

  /**
   * Makes sure that what was decided at the start still holds: a former run on the checkpoint may
   * have gone on until Spark stopped it, after the decisions.
   *
   * @throws org.apache.spark.sql.AnalysisException
   *   if the checkpoint has a complete batch now, and had none when the query was prepared
   */
  private[clock] def check(): Unit =
    if (!hasBegun && batchId > 0 && wasNew) throw CheckpointErrors.begunMeanwhile(batchId)

  /**
   * Whether the first batch of the checkpoint begins: of all batches, and of this run. To be called
   * when a batch is planned.
   */
  def beginsCheckpoint(): Boolean = {
    check()
    val isFirst = !hasBegun && batchId == 0
    hasBegun = true
    isFirst
  }

  /**
   * Puts aside what an earlier try of the first batch has left, if the query has other operators
   * now. Only once: afterwards the states are of this try.
   *
   * @param operators
   *   the names of the operators of the first batch, by their numbers
   * @param areSame
   *   whether operators of the same names have the states that they have left
   */
  def putStatesAside(operators: Map[Long, String])(areSame: => Boolean): Unit =
    if (!hasPutAside) {
      val session = SparkInternals.batchSession(query)
      val states = new StateCheckpoint(query.resolvedCheckpointRoot, session)
      states.putAside(operators)(areSame).foreach { folder =>
        logInfo(s"The query was changed after its first batch failed. Its states are in $folder.")
      }
      hasPutAside = true
    }
}
