package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.DataType
import tidegate.errors.Conditions.{error, list}

/** Errors of stream joins and their bounds. */
object JoinErrors {

  /** `left` and `right` are the time columns; `None` for a side without a keyed column. */
  def joinUnbounded(
      joinType: String,
      left: Option[String],
      right: Option[String]
  ): AnalysisException = {
    def missing(side: String, other: String, time: String) =
      s"its $side side has no column with a watermark key, the $other side has `$time`; call " +
        s"withKeyedWatermark on the $side side before the join, and compare the two times in both " +
        "directions"
    val reason = (left, right) match {
      case (Some(l), None) => missing("right", "left", l)
      case (None, Some(r)) => missing("left", "right", r)
      case _               =>
        val (l, r) = (left.getOrElse("?"), right.getOrElse("?"))
        s"nothing bounds `$r` of the right side by `$l` of the left side in both directions; add a " +
          s"condition such as $r BETWEEN $l - INTERVAL 10 MINUTES AND $l + INTERVAL 10 MINUTES, or " +
          "join on equal times or windows"
    }
    error("JOIN_UNBOUNDED", "type" -> joinType, "reason" -> reason)
  }

  def joinKeyConflict(key: Byte, left: String, right: String): AnalysisException =
    error("JOIN_KEY_CONFLICT", "key" -> key.toString, "left" -> left, "right" -> right)

  def betweenColumnNotFound(
      column: String,
      side: String,
      columns: Seq[String]
  ): AnalysisException =
    error(
      "BETWEEN_COLUMN_NOT_FOUND",
      "column" -> column,
      "side" -> side,
      "columns" -> list(columns)
    )

  def betweenNotTimestamp(column: String, found: DataType): AnalysisException =
    error("BETWEEN_NOT_TIMESTAMP", "column" -> column, "found" -> found.sql)

  def betweenTypes(
      time: String,
      timeType: DataType,
      base: String,
      baseType: DataType
  ): AnalysisException =
    error(
      "BETWEEN_TYPES",
      "time" -> time,
      "timeType" -> timeType.sql,
      "base" -> base,
      "baseType" -> baseType.sql
    )

  def betweenNotKeyed(column: String, side: String): AnalysisException =
    error("BETWEEN_NOT_KEYED", "column" -> column, "side" -> side)

  def betweenOrder(lower: String, upper: String): AnalysisException =
    error("BETWEEN_ORDER", "lower" -> lower, "upper" -> upper)

  def noJoin(function: String): AnalysisException = error("NO_JOIN", "function" -> function)
}
