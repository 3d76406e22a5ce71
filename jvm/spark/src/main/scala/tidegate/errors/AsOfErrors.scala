package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DataType
import tidegate.errors.Conditions.{error, list}

/** Errors of as-of joins. */
object AsOfErrors {

  /** How SQL names the time of the left side. */
  val InSql = "FOR SYSTEM_TIME AS OF"

  def joinType(found: String): AnalysisException = error("AS_OF_JOIN_TYPE", "found" -> found)

  def withoutEquality(): AnalysisException = error("AS_OF_WITHOUT_EQUALITY")

  def condition(found: String): AnalysisException = error("AS_OF_CONDITION", "found" -> found)

  /** @param found what stands behind `AS OF` */
  def computedTime(found: String): AnalysisException =
    error("AS_OF_COMPUTED_TIME", "found" -> found)

  /** @param argument what names the column: an argument of the method, or words of SQL */
  def timeNotFound(
      argument: String,
      column: String,
      side: String,
      columns: Seq[String]
  ): AnalysisException =
    error(
      "AS_OF_TIME_NOT_FOUND",
      "argument" -> argument,
      "column" -> column,
      "side" -> side,
      "columns" -> list(columns)
    )

  def timeNotTimestamp(argument: String, column: String, found: DataType): AnalysisException =
    error(
      "AS_OF_TIME_NOT_TIMESTAMP",
      "argument" -> argument,
      "column" -> column,
      "found" -> found.sql
    )

  /** @param columns the times from which one has to be chosen */
  def timeNeeded(
      argument: String,
      side: String,
      columns: Seq[String],
      isStream: Boolean
  ): AnalysisException = {
    val what = if (isStream) "time column with a watermark" else "time column"
    val found = if (columns.isEmpty) s"no $what" else s"more than one $what: ${list(columns)}"
    val cure =
      if (columns.nonEmpty)
        s"Name one with $argument; in SQL, select only one of them in a view or a WITH"
      else if (isStream) "Call withKeyedWatermark on it before the join"
      else "Convert one of its columns first, for example with to_timestamp"
    error("AS_OF_TIME_NEEDED", "side" -> side, "found" -> found, "cure" -> cure)
  }

  def timeTypes(
      left: String,
      leftType: DataType,
      right: String,
      rightType: DataType
  ): AnalysisException =
    error(
      "AS_OF_TIME_TYPES",
      "left" -> left,
      "leftType" -> leftType.sql,
      "right" -> right,
      "rightType" -> rightType.sql
    )

  def notKeyed(column: String, side: String): AnalysisException =
    error("AS_OF_NOT_KEYED", "column" -> column, "side" -> side)

  def streamOfVersions(): AnalysisException = error("AS_OF_STREAM_OF_VERSIONS")

  /** @param time what stands behind `AS OF` */
  def misplaced(time: String): AnalysisException = error("AS_OF_MISPLACED", "time" -> time)

  def streamOfNow(): AnalysisException = error("AS_OF_NOW_OF_STREAM")

  def outputMode(found: String): AnalysisException =
    error("AS_OF_OUTPUT_MODE", "found" -> found)
}
