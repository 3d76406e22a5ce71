package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.error

/** Errors of folders that users name, and of paths that stand in files. */
object PathErrors {

  def leaves(location: String, what: Seq[String]): AnalysisException =
    error("PATH_LEAVES_FOLDER", "location" -> location, "what" -> Conditions.some(what))
}
