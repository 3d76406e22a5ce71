package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.error

/** Errors of folders that users name, and of paths that stand in files. */
object PathErrors {

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
