package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of policies, emissions and durations. */
object PolicyErrors {

  def invalidDuration(argument: String, found: String): AnalysisException =
    error("INVALID_DURATION", "argument" -> argument, "found" -> found)

  def durationSpelling(argument: String, found: String, near: String): AnalysisException =
    error("DURATION_SPELLING", "argument" -> argument, "found" -> found, "near" -> near)

  def durationTooSmall(argument: String, found: String, smallest: String): AnalysisException =
    error("DURATION_TOO_SMALL", "argument" -> argument, "found" -> found, "smallest" -> smallest)

  def lagOrPolicy(found: String, policy: String): AnalysisException =
    error("LAG_OR_POLICY", "found" -> found, "policy" -> policy)

  /**
   * @param name
   *   the name in `found`, which may be a misspelt one
   */
  def unknownPolicy(
      kind: String,
      name: String,
      found: String,
      known: Seq[String]
  ): AnalysisException = {
    val near = NearName.of(name, known).filterNot(_ == name)
    error(
      "UNKNOWN_POLICY",
      "kind" -> kind,
      "found" -> found,
      "near" -> near.fold("")(n => s"Did you mean `$n`? "),
      "known" -> list(known)
    )
  }
}
