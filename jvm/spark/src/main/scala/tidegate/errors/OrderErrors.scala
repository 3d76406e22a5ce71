package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DataType
import tidegate.errors.Conditions.{error, list}

/** Errors of event-time order. */
object OrderErrors {

  def orderKeyNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("ORDER_KEY_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def orderKeyType(column: String, found: DataType): AnalysisException =
    error("ORDER_KEY_TYPE", "column" -> column, "found" -> found.sql)

  def orderWithoutWatermark(): AnalysisException = error("ORDER_WITHOUT_WATERMARK")

  def orderNotKeyed(column: String, source: Option[String]): AnalysisException = {
    val reason = source.fold("has no watermark") { s =>
      s"is computed from `$s` and so has no watermark any more"
    }
    error("ORDER_NOT_KEYED", "column" -> column, "reason" -> reason)
  }

  def orderTimeNeeded(columns: Seq[String]): AnalysisException =
    error(
      "ORDER_TIME_NEEDED",
      "found" -> (if (columns.isEmpty) "no time column" else s"the time columns ${list(columns)}")
    )

  def orderOutputMode(found: String): AnalysisException =
    error("ORDER_OUTPUT_MODE", "found" -> found)
}
