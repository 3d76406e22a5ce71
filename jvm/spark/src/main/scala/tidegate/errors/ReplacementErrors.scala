package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of a query whose watermarks of Spark's become keyed ones. */
object ReplacementErrors {

  def tooMany(found: Int, free: Int): AnalysisException =
    error("REPLACED_TOO_MANY", "found" -> found.toString, "free" -> free.toString)

  def ofWindow(column: String): AnalysisException =
    error("REPLACED_WINDOW", "column" -> column)

  def redefined(column: String, below: String): AnalysisException =
    error("REPLACED_TWICE", "column" -> column, "below" -> below)

  def policyMax(columns: Seq[String]): AnalysisException =
    error("REPLACED_POLICY_MAX", "columns" -> list(columns))
}
