package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.core.clock.SubstreamLimit
import tidegate.errors.Conditions.{causedError, error, list}

/** Errors of a query that runs, or whose watermarks are requested. */
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

  /** @param known the queries that there are, by name or id */
  def unknownQuery(found: String, known: Seq[String]): AnalysisException =
    error(
      "UNKNOWN_QUERY",
      "found" -> found,
      "known" -> (if (known.isEmpty) "none" else list(known))
    )

  /**
   * @param isActive
   *   whether the query may still make its plan
   * @param failure
   *   the error that ended the query, if it has failed
   */
  def queryWithoutPlan(
      query: String,
      isActive: Boolean,
      failure: Option[Throwable]
  ): AnalysisException = {
    val reason =
      if (failure.isDefined) "it failed before Spark had planned it. Its exception() tells why"
      else if (isActive) "Spark has not planned it yet. Ask again later"
      else "it was stopped before Spark had planned it. Start it again"
    causedError("QUERY_WITHOUT_PLAN", failure, "query" -> query, "reason" -> reason)
  }
}
