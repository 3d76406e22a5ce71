package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.{DataType, StructType}
import tidegate.errors.Conditions.{error, list}

/** Errors of stream joins and their bounds. */
object JoinErrors {

  /** `left` and `right` are the time columns; `None` for a side without a keyed column. */
  def joinUnbounded(
      joinType: String,
      isInner: Boolean,
      left: Option[Attribute],
      right: Option[Attribute]
  ): AnalysisException = {
    def missing(side: String, other: String, time: String) =
      s"its $side side has no column with a watermark key, the $other side has `$time`; call " +
        s"withKeyedWatermark on the $side side before the join, and compare the two times in both " +
        "directions"
    val reason = (left, right) match {
      case (Some(l), None)    => missing("right", "left", l.name)
      case (None, Some(r))    => missing("left", "right", r.name)
      case (None, None)       => "none of its columns has a watermark key"
      case (Some(l), Some(r)) =>
        s"nothing bounds `${r.name}` of the right side by `${l.name}` of the left side in both " +
          s"directions; ${timesOfWindows(Seq(r -> "right", l -> "left"))}add a condition such as " +
          s"${timeOf(r)} BETWEEN ${timeOf(l)} - INTERVAL 10 MINUTES AND ${timeOf(l)} + INTERVAL " +
          "10 MINUTES, or join on equal times or windows" +
          (if (isInner) ", or set spark.tidegate.join.timeToLive to how far they may be apart"
           else "")
    }
    error("JOIN_UNBOUNDED", "type" -> joinType, "reason" -> reason)
  }

  /** Windows that Spark compares in inner joins alone. */
  def windowsCompared(joinType: String, left: Attribute, right: Attribute): AnalysisException =
    error(
      "JOIN_OF_WINDOWS",
      "type" -> joinType,
      "left" -> left.name,
      "right" -> right.name,
      "columns" -> timesOfWindows(Seq(left -> "left", right -> "right")),
      "leftTime" -> timeOf(left),
      "rightTime" -> timeOf(right)
    )

  /** @param function what makes a window of a column, or the time of a window */
  def windowInCondition(
      joinType: String,
      function: String,
      column: String,
      side: String
  ): AnalysisException = {
    val arguments = if (function == "window_time") s"'$column'" else s"'$column', '10 minutes'"
    val name = if (function == "window_time") s"${column}_time" else s"${column}_window"
    error(
      "JOIN_MAKES_WINDOW",
      "type" -> joinType,
      "function" -> function,
      "column" -> column,
      "name" -> name,
      "call" -> s"$function($arguments)",
      "side" -> side
    )
  }

  /** A window is a struct, and no interval can be added to a struct. */
  private def isWindow(column: Attribute): Boolean = column.dataType.isInstanceOf[StructType]

  private def timeOf(column: Attribute): String =
    if (isWindow(column)) s"${column.name}_time" else column.name

  /** How to get the times of those columns that are windows; ends with a word that goes on. */
  private def timesOfWindows(columns: Seq[(Attribute, String)]): String =
    columns.collect {
      case (column, side) if isWindow(column) =>
        s"put withColumn('${timeOf(column)}', window_time('${column.name}')) on the $side side " +
          "before the join, and "
    }.mkString

  def noEquality(joinType: String): AnalysisException =
    error("JOIN_WITHOUT_EQUALITY", "type" -> joinType)

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

  /** @param method what calls the function with a join */
  def noJoin(function: String, method: String): AnalysisException =
    error("NO_JOIN", "function" -> function, "method" -> method)

  def timeToLiveHint(): AnalysisException = error("STATE_TTL")
}
