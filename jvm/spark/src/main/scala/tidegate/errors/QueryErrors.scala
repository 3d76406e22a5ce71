package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.core.clock.SubstreamLimit
import tidegate.errors.Conditions.{error, list}

/** Errors of a query that runs, or is asked for its watermarks. */
object QueryErrors {

  def notAppendTime(topic: String, found: String): AnalysisException =
    error("NOT_APPEND_TIME", "topic" -> topic, "found" -> found)

  def tooManySubstreams(limit: SubstreamLimit, found: Int): AnalysisException =
    error(
      "TOO_MANY_SUBSTREAMS",
      "name" -> limit.node,
      "columns" -> list(limit.columns),
      "found" -> found.toString,
      "max" -> limit.max.toString
    )

  def realTimeMode(): AnalysisException = error("REAL_TIME_MODE")

  def watermarkWentBack(
      name: String,
      key: Byte,
      previousMs: Long,
      foundMs: Long
  ): AnalysisException =
    error(
      "WATERMARK_WENT_BACK",
      "name" -> name,
      "key" -> key.toString,
      "previous" -> previousMs.toString,
      "found" -> foundMs.toString
    )

  def notTidegateQuery(query: String): AnalysisException =
    error("NOT_A_TIDEGATE_QUERY", "query" -> query)
}
