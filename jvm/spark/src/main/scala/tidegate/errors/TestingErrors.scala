package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of calls to the test kit. */
object TestingErrors {

  def unknownInput(found: String, known: Seq[String]): AnalysisException =
    error("TEST_INPUT_UNKNOWN", "found" -> found, "known" -> names(known))

  /** @param of what the rows are compared with, such as an input */
  def unknownColumn(of: String, found: String, columns: Seq[String]): AnalysisException =
    error("TEST_COLUMN_UNKNOWN", "of" -> of, "found" -> found, "columns" -> list(columns))

  def unknownWatermark(found: String, known: Seq[String]): AnalysisException =
    error("TEST_WATERMARK_UNKNOWN", "found" -> found, "known" -> names(known))

  def invalidNow(found: String): AnalysisException = error("TEST_NOW", "found" -> found)

  private def names(known: Seq[String]): String = if (known.isEmpty) "none" else list(known)
}
