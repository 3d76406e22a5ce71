package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DataType
import tidegate.errors.Conditions.error

/** Errors of folders and tables for late rows, and of the lateness that is allowed. */
object LateRowErrors {

  def emptyFolder(): AnalysisException = error("LATE_ROWS_EMPTY")

  def neitherNameNorPath(found: String): AnalysisException =
    error("LATE_ROWS_NAME", "found" -> found)

  def folderRefused(folder: String, operator: String, reason: String): AnalysisException =
    error("LATE_ROWS_FOLDER", "folder" -> folder, "operator" -> operator, "reason" -> reason)

  def tableRefused(table: String, operator: String, reason: String): AnalysisException =
    error("LATE_ROWS_TABLE", "table" -> table, "operator" -> operator, "reason" -> reason)

  /** @param isOfMode whether another output mode helps */
  def latenessUnused(watermark: String, found: String, isOfMode: Boolean): AnalysisException =
    error(
      "ALLOWED_LATENESS_UNUSED",
      "watermark" -> watermark,
      "found" -> found,
      "cure" -> (if (isOfMode) "Start the query in this mode, or l" else "L")
    )

  def columnType(operator: String, column: String, found: DataType): AnalysisException =
    error("LATE_ROWS_TYPE", "operator" -> operator, "column" -> column, "found" -> found.sql)
}
