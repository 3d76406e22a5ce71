package tidegate.errors

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.error

/** Errors about what only later versions of Spark have. */
object LaterSparkErrors {

  def stream(): AnalysisException = later(
    "`STREAM` before a table in SQL",
    "4.1",
    "Make a view of the stream with spark.readStream.table(...).createOrReplaceTempView(...), and " +
      "write the name of the view."
  )

  def watermarkClause(): AnalysisException = later(
    "The `WATERMARK` clause in SQL",
    "4.1",
    "Call IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), 5 seconds), or call withWatermark before the " +
      "stream becomes a view."
  )

  def parameterInDescriptor(): AnalysisException = later(
    "A parameter in DESCRIPTOR",
    "4.1",
    "Write the name of the column into the text of the statement."
  )

  private def later(feature: String, since: String, instead: String): AnalysisException =
    error(
      "LATER_SPARK",
      "feature" -> feature,
      "since" -> since,
      "found" -> SPARK_VERSION,
      "instead" -> instead
    )
}
