package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{causedError, error}

/** Errors of a query that continues from a checkpoint. */
object CheckpointErrors {

  def lastBatchGone(batchId: Long, name: String, cause: Throwable): AnalysisException =
    causedError("LAST_BATCH_GONE", Some(cause), "batch" -> batchId.toString, "name" -> name)

  /** Another run has completed the first batch since this one was prepared. */
  def begunMeanwhile(batchId: Long): AnalysisException =
    error("BEGUN_MEANWHILE", "batch" -> batchId.toString)

  def foreignOffset(found: String): AnalysisException =
    error("FOREIGN_OFFSET", "found" -> cut(found))

  private def cut(text: String): String = if (text.length > 80) text.take(80) + "..." else text

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

  /**
   * @param state
   *   whose state it is
   */
  def newerState(state: String, found: Int, known: Int): AnalysisException =
    error("NEWER_STATE", "state" -> state, "found" -> found.toString, "known" -> known.toString)

  /**
   * @param operator
   *   the operator, in words
   * @param state
   *   what the checkpoint has of the operator
   * @param found
   *   why the query cannot continue with the state
   */
  def stateRefused(operator: String, state: String, found: String): AnalysisException =
    error("STATE_REFUSED", "operator" -> operator, "state" -> state, "found" -> found)

  /**
   * As `stateRefused`, for the values that an aggregate keeps.
   *
   * @param meaning
   *   what those of the query mean
   */
  def valuesRefused(function: String, meaning: String): AnalysisException = error(
    "STATE_REFUSED",
    "operator" -> s"the aggregate $function",
    "state" -> "values of other columns, or in another order",
    "found" -> s"those of the query are $meaning"
  )

  /**
   * As `stateRefused`, for rows with columns of other types.
   *
   * @param gone
   *   the columns that only the rows of the checkpoint have, each with its type
   * @param added
   *   the columns that only the rows of the query have
   */
  def otherColumns(operator: String, gone: Seq[String], added: Seq[String]): AnalysisException = {
    def list(columns: Seq[String]) = columns.map(cut).mkString(", ")
    if (gone.isEmpty)
      stateRefused(
        operator,
        "rows with fewer columns",
        s"those of the query have ${list(added)} too"
      )
    else
      stateRefused(
        operator,
        s"rows with ${list(gone)}",
        if (added.isEmpty) "those of the query lack that"
        else s"those of the query have ${list(added)} in its place"
      )
  }

  /** As `stateRefused`, for an operator whose name is not known. */
  def stateOfGoneRefused(state: String, found: String): AnalysisException =
    error(
      "STATE_REFUSED",
      "operator" -> "an operator that is gone",
      "state" -> state,
      "found" -> found
    )
}
