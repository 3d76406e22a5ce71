package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DataType
import tidegate.errors.Conditions.{error, list}

/**
 * Errors of the functions `current_watermark`, `is_late` and `proctime`, and of those about
 * queries.
 */
object FunctionErrors {

  def oneArgument(function: String, found: Int): AnalysisException =
    error("ONE_ARGUMENT", "function" -> function, "found" -> found.toString)

  def noArguments(function: String, found: Int): AnalysisException =
    error("NO_ARGUMENTS", "function" -> function, "found" -> found.toString)

  def oneQuery(function: String, found: Int): AnalysisException =
    error("ONE_QUERY", "function" -> function, "found" -> found.toString)

  def watermarkNameNeeded(found: String): AnalysisException =
    error("WATERMARK_NAME_NEEDED", "found" -> found)

  def unknownWatermark(found: String, known: Seq[String]): AnalysisException =
    error(
      "UNKNOWN_WATERMARK",
      "found" -> found,
      "known" -> (if (known.isEmpty) "none" else list(known))
    )

  def columnWithoutWatermark(function: String, column: String): AnalysisException =
    error("COLUMN_WITHOUT_WATERMARK", "function" -> function, "column" -> column)

  def isLateNotTime(found: String, dataType: DataType): AnalysisException =
    error("IS_LATE_NOT_TIME", "found" -> found, "type" -> dataType.sql)

  def isLateComputed(found: String): AnalysisException =
    error("IS_LATE_COMPUTED", "found" -> found)
}
