package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.error

/** Errors of what Spark refuses in streams, where Tidegate has a way of its own. */
object RefusalErrors {

  def sorted(found: Seq[String], time: String): AnalysisException =
    error("SORTED_STREAM", "found" -> found.mkString(", "), "time" -> time)

  /** @param arguments what the values of the aggregate are distinct in */
  def distinct(found: String, arguments: Seq[String], isCount: Boolean): AnalysisException = {
    val values = arguments match {
      case Seq(one) => s"collect_set($one)"
      case several  =>
        s"collect_set(struct(${several.mkString(", ")})) FILTER (WHERE " +
          s"${several.map(a => s"$a IS NOT NULL").mkString(" AND ")})"
    }
    val instead =
      if (isCount) s"size($values), which is exact"
      else s"$values, which has each value once, and compute the result from the array"
    error("DISTINCT_AGGREGATE", "found" -> found, "instead" -> instead)
  }

  /** @param isAlone whether the query has no other function with `OVER` */
  def rankWithoutLimit(found: String, name: String, isAlone: Boolean): AnalysisException =
    error(
      "RANK_WITHOUT_LIMIT",
      "found" -> found,
      "name" -> name,
      "others" -> (if (isAlone) ""
                   else
                     " Compute other functions with OVER above this filter, or below the rank, in a " +
                       "SELECT of their own.")
    )

  /** @param found a function with `OVER` */
  def over(found: String, reason: String): AnalysisException =
    error("OVER", "found" -> found, "reason" -> reason)

  def topNArgument(argument: String, found: String, wanted: String): AnalysisException =
    error("TOP_N_ARGUMENT", "argument" -> argument, "found" -> found, "wanted" -> wanted)

  def topNFiltered(found: String, name: String): AnalysisException =
    error("TOP_N_FILTERED", "found" -> found, "name" -> name)

  def topNWithoutRank(name: String, limit: Int): AnalysisException =
    error("TOP_N_WITHOUT_RANK", "name" -> name, "limit" -> limit.toString)

  def joinMode(joinType: String, found: String): AnalysisException =
    error("JOIN_OUTPUT_MODE", "type" -> joinType, "found" -> found)

  /** @param lateness a watermark that allows lateness */
  def sessionsInUpdate(lateness: Option[String]): AnalysisException = error(
    "SESSION_OUTPUT_MODE",
    "also" -> lateness.fold("") { watermark =>
      s" Leave out `allowedLateness` of the watermark `$watermark`, which sessions do not have: a " +
        "longer lag keeps late rows."
    }
  )

  /**
   * @param keys
   *   those of the aggregation; none if it has no keys
   * @param mayUpdate
   *   whether the operator may update over results that come once
   */
  def resultsInState(
      operator: String,
      keys: Seq[String],
      mode: String,
      mayUpdate: Boolean
  ): AnalysisException =
    error(
      "RESULTS_IN_STATE",
      "operator" -> operator,
      "keys" -> (if (keys.isEmpty) "without keys" else keys.mkString("by ", ", ", "")),
      "mode" -> mode,
      "how" -> (if (mayUpdate)
                  "Group the aggregation by a time with a watermark, or by a window of it, too: then " +
                    s"each result comes once, when it is complete, and `$operator` updates"
                else
                  "Use outputMode('append'), in which a result comes once, and group the " +
                    "aggregation by a time with a watermark or a window of it")
    )

  def timeLost(time: String, step: String): AnalysisException =
    error("TIME_LOST", "time" -> time, "step" -> step)

  def streamInSubquery(word: String, isNegated: Boolean): AnalysisException =
    error(
      "STREAM_IN_SUBQUERY",
      "word" -> (if (isNegated) s"NOT $word" else word),
      "how" -> (if (isNegated) "leftAnti" else "leftSemi"),
      "sql" -> (if (isNegated) "LEFT ANTI JOIN" else "LEFT SEMI JOIN")
    )

  def streamAsValue(): AnalysisException = error("STREAM_AS_VALUE")
}
