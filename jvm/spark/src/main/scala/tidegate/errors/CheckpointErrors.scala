package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.StructType
import tidegate.errors.Conditions.{causedError, error}

/** Errors of a query that continues from a checkpoint. */
object CheckpointErrors {

  def lastBatchGone(batchId: Long, name: String, cause: Throwable): AnalysisException =
    causedError("LAST_BATCH_GONE", Some(cause), "batch" -> batchId.toString, "name" -> name)

  /** Another run has completed the first batch since this one was prepared. */
  def begunMeanwhile(batchId: Long): AnalysisException =
    error("BEGUN_MEANWHILE", "batch" -> batchId.toString)

  def foreignOffset(found: String): AnalysisException =
    error("FOREIGN_OFFSET", "found" -> (if (found.length > 80) found.take(80) + "..." else found))

  /**
   * @param node
   *   the watermark that is damaged, if it is only one
   */
  def damagedOffset(file: Option[String], node: Option[String], what: String): AnalysisException =
    error(
      "DAMAGED_OFFSET",
      "file" -> file.getOrElse("the offset log"),
      "watermark" -> node.fold("all watermarks of the query")(name => s"the watermark `$name`"),
      "what" -> what
    )

  /** Streams have changed places in a query. */
  def streamsMoved(name: String, before: String, now: String): AnalysisException =
    error("STREAMS_MOVED", "name" -> name, "before" -> before, "now" -> now)

  def newerOffset(found: Int, known: Int): AnalysisException =
    error("NEWER_OFFSET", "found" -> found.toString, "known" -> known.toString)

  def newerFrames(operator: String, found: Int, known: Int): AnalysisException =
    error(
      "NEWER_FRAMES",
      "operator" -> operator,
      "found" -> found.toString,
      "known" -> known.toString
    )

  def newerOrder(operator: String, found: Int, known: Int): AnalysisException =
    error(
      "NEWER_ORDER",
      "operator" -> operator,
      "found" -> found.toString,
      "known" -> known.toString
    )

  def newerState(operator: String, found: Int, known: Int): AnalysisException =
    error(
      "NEWER_STATE",
      "operator" -> operator,
      "found" -> found.toString,
      "known" -> known.toString
    )

  def orderChanged(operator: String, before: String, now: String): AnalysisException =
    error("ORDER_CHANGED", "operator" -> operator, "before" -> before, "now" -> now)

  /** The rows that wait have other columns than the query, of the same types. */
  def orderColumns(operator: String, before: StructType, now: StructType): AnalysisException =
    error("ORDER_COLUMNS", "operator" -> operator, "before" -> before.toDDL, "now" -> now.toDDL)

  /** The query has no deduplication for the keys that one left in the checkpoint. */
  def keysRefused(operator: String): AnalysisException =
    error("KEYS_REFUSED", "operator" -> operator)

  def framesRefused(operator: String, windows: String, found: String): AnalysisException =
    error("FRAMES_REFUSED", "operator" -> operator, "windows" -> windows, "found" -> found)

  def sessionsRefused(operator: String, state: String, found: String): AnalysisException =
    error("SESSIONS_REFUSED", "operator" -> operator, "state" -> state, "found" -> found)

  def joinRefused(operator: String, found: String): AnalysisException =
    error("JOIN_REFUSED", "operator" -> operator, "found" -> found)
}
