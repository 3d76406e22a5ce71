package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of windows and of aggregations over windows. */
object WindowErrors {

  def hopSwapped(size: String, slide: String): AnalysisException =
    error("HOP_SWAPPED", "size" -> size, "slide" -> slide)

  def hopSlide(size: String, slide: String): AnalysisException =
    error("HOP_SLIDE", "size" -> size, "slide" -> slide)

  def cumulateSwapped(step: String, maxSize: String): AnalysisException =
    error("CUMULATE_SWAPPED", "step" -> step, "maxSize" -> maxSize)

  def cumulateStep(step: String, maxSize: String): AnalysisException =
    error("CUMULATE_STEP", "step" -> step, "maxSize" -> maxSize)

  def windowByStart(function: String, column: String): AnalysisException =
    error("WINDOW_BY_START", "function" -> function, "column" -> column)

  def windowWithoutWatermark(function: String, column: String): AnalysisException =
    error("WINDOW_WITHOUT_WATERMARK", "function" -> function, "column" -> column)

  def windowOnComputedTime(function: String, column: String, source: String): AnalysisException =
    error(
      "WINDOW_ON_COMPUTED_TIME",
      "function" -> function,
      "column" -> column,
      "source" -> source
    )

  def windowOnOtherTime(
      function: String,
      column: String,
      ordered: Seq[String]
  ): AnalysisException =
    error(
      "WINDOW_ON_OTHER_TIME",
      "function" -> function,
      "column" -> column,
      "ordered" -> list(ordered)
    )

  def windowsOfUnion(column: String, branches: Seq[String]): AnalysisException =
    error("WINDOWS_OF_UNION", "column" -> column, "branches" -> branches.mkString(", "))
}
