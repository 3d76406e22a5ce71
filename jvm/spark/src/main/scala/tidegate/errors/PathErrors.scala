package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{causedError, error}

/** Errors of folders that users name, and of paths that stand in files. */
object PathErrors {

  def unusable(
      call: String,
      argument: String,
      found: String,
      reason: String,
      cause: Option[Throwable] = None
  ): AnalysisException = causedError(
    "PATH_UNUSABLE",
    cause,
    "call" -> call,
    "argument" -> argument,
    "found" -> found,
    "reason" -> reason
  )

  /**
   * @param left
   *   what was left behind, as a sentence
   */
  def failed(
      call: String,
      folders: Seq[String],
      left: String,
      cause: Throwable
  ): AnalysisException = causedError(
    "PATH_FAILED",
    Some(cause),
    "call" -> call,
    "folders" -> folders.mkString(" and "),
    "reason" -> FileReason.of(cause),
    "left" -> left
  )

  /**
   * @param how
   *   a verb, which has the target as its subject and the source as its object
   */
  def notApart(
      call: String,
      argument: String,
      target: String,
      how: String,
      source: String
  ): AnalysisException = error(
    "PATHS_NOT_APART",
    "call" -> call,
    "argument" -> argument,
    "target" -> target,
    "how" -> how,
    "source" -> source
  )

  def leaves(location: String, what: Seq[String]): AnalysisException =
    error("PATH_LEAVES_FOLDER", "location" -> location, "what" -> Conditions.some(what))
}
