package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{causedError, error}

/** Errors of a query that continues from a checkpoint. */
object CheckpointErrors {

  def lastBatchGone(batchId: Long, name: String, cause: Throwable): AnalysisException =
    causedError("LAST_BATCH_GONE", Some(cause), "batch" -> batchId.toString, "name" -> name)

  def foreignOffset(found: String): AnalysisException =
    error("FOREIGN_OFFSET", "found" -> (if (found.length > 80) found.take(80) + "..." else found))

  def newerOffset(found: Int, known: Int): AnalysisException =
    error("NEWER_OFFSET", "found" -> found.toString, "known" -> known.toString)

  def orderChanged(operator: String, before: String, now: String): AnalysisException =
    error("ORDER_CHANGED", "operator" -> operator, "before" -> before, "now" -> now)

  def framesRefused(operator: String, windows: String, found: String): AnalysisException =
    error("FRAMES_REFUSED", "operator" -> operator, "windows" -> windows, "found" -> found)
}
