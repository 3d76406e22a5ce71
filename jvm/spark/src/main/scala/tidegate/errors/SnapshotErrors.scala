package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{causedError, error}

/** Errors of snapshots: their export, their use, and what is wrong with them. */
object SnapshotErrors {

  def noCheckpoint(location: String): AnalysisException = AdoptionErrors.noCheckpoint(location)

  def nothingCommitted(location: String): AnalysisException =
    error("NOTHING_COMMITTED", "location" -> location)

  def notRunning(query: String, location: Option[String]): AnalysisException = error(
    "SNAPSHOT_QUERY_NOT_RUNNING",
    "query" -> query,
    "location" -> location.getOrElse("<its checkpoint>")
  )

  def notInBatches(query: String): AnalysisException =
    error("SNAPSHOT_NOT_IN_BATCHES", "query" -> query)

  def temporary(query: String): AnalysisException =
    error("TEMPORARY_CHECKPOINT", "query" -> query)

  def noSinkLog(location: String): AnalysisException =
    error("NO_SINK_LOG", "location" -> location)

  def pathExists(location: String): AnalysisException =
    error("SNAPSHOT_PATH_EXISTS", "location" -> location)

  /**
   * @param left
   *   what was left behind, as a sentence
   */
  def notWritable(location: String, cause: Throwable, left: String): AnalysisException =
    causedError(
      "SNAPSHOT_NOT_WRITABLE",
      Some(cause),
      "location" -> location,
      "cause" -> FileReason.of(cause),
      "left" -> left
    )

  def withoutLater(
      query: String,
      batchId: Long,
      location: String,
      checkpoint: String,
      cause: Throwable
  ): AnalysisException = causedError(
    "SNAPSHOT_WITHOUT_LATER",
    Some(cause),
    "query" -> query,
    "batch" -> batchId.toString,
    "location" -> location,
    "checkpoint" -> checkpoint,
    "cause" -> FileReason.of(cause)
  )

  def noSnapshot(location: String): AnalysisException =
    error("NO_SNAPSHOT", "location" -> location)

  def cutOff(location: String): AnalysisException =
    error("SNAPSHOT_CUT_OFF", "location" -> location)

  def newer(location: String, found: Long, known: Int): AnalysisException = error(
    "NEWER_SNAPSHOT",
    "location" -> location,
    "found" -> found.toString,
    "known" -> known.toString
  )

  def changed(location: String, what: Seq[String]): AnalysisException =
    error("SNAPSHOT_CHANGED", "location" -> location, "what" -> Conditions.some(what))

  def asCheckpoint(location: String): AnalysisException =
    error("SNAPSHOT_AS_CHECKPOINT", "location" -> location)

  def stateIncomplete(folder: String, version: Long): AnalysisException =
    error("STATE_INCOMPLETE", "folder" -> folder, "version" -> version.toString)

  def fileGone(location: String, cause: Throwable): AnalysisException = causedError(
    "CHECKPOINT_FILE_GONE",
    Some(cause),
    "location" -> location,
    "cause" -> Option(cause.getMessage).getOrElse(cause.getClass.getName)
  )

  def unknownStateStore(location: String, provider: String): AnalysisException =
    error("SNAPSHOT_STATE_STORE", "location" -> location, "provider" -> provider)

  def tooFast(location: String, attempts: Int): AnalysisException =
    error("SNAPSHOT_TOO_SLOW", "location" -> location, "attempts" -> attempts.toString)

  def keep(found: Int): AnalysisException = error("SNAPSHOT_KEEP", "found" -> found.toString)
}
