package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of sessions. */
object SessionErrors {

  def sessionWithoutAggregate(): AnalysisException = error("SESSION_WITHOUT_AGGREGATE")

  def sessionNotGrouped(): AnalysisException = error("SESSION_NOT_GROUPED")

  def sessionKeys(wanted: Seq[String], found: Seq[String]): AnalysisException =
    error(
      "SESSION_KEYS",
      "wanted" -> (if (wanted.isEmpty) "nothing" else list(wanted)),
      "found" -> (if (found.isEmpty) "nothing else" else found.mkString(", "))
    )

  def sessionGap(found: String): AnalysisException = error("SESSION_GAP", "found" -> found)

  def sessionFiltered(condition: String): AnalysisException =
    error("SESSION_FILTERED", "condition" -> condition)

  def sessionColumnUsed(found: String): AnalysisException =
    error("SESSION_COLUMN_USED", "found" -> found)
}
