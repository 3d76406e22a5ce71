package tidegate.execution

import org.apache.spark.sql.tidegate.LogLine

/**
 * Where late rows come from, as the log tells it.
 *
 * @param operator
 *   the operator that the rows are late for
 * @param watermarks
 *   the names of the watermarks of the rows: several after a union
 * @param query
 *   the name of the query, or its id; none if the query has not started
 */
private[tidegate] final case class LateOrigin(
    operator: String,
    watermarks: Seq[String],
    query: Option[String]
) {

  /** For a line of the log. */
  def fields: Map[String, String] =
    Map(LogLine.Operator -> operator, LogLine.Watermark -> LogLine.names(watermarks)) ++
      query.map(LogLine.Query -> _)

  override def toString: String = {
    val names = if (watermarks.size == 1) watermarks.head else watermarks.mkString("[", ", ", "]")
    s"operator=$operator, watermark=$names${query.fold("")(", query=" + _)}"
  }
}
