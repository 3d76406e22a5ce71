package tidegate

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.DataType

/**
 * Every error that Tidegate raises. The texts are in `tidegate/error-conditions.json`; each names
 * the argument or column, what was found, what is wanted and how to mend it.
 */
object TidegateErrors {

  /** Makes the conditions known to Spark; called when the extension starts. */
  def register(): Unit =
    SparkInternals.registerErrorConditions(
      getClass.getClassLoader.getResource("tidegate/error-conditions.json")
    )

  private def error(condition: String, parameters: (String, String)*): AnalysisException = {
    register()
    new AnalysisException(s"TIDEGATE_$condition", parameters.toMap)
  }

  def lastBatchGone(batchId: Long, name: String, cause: Throwable): AnalysisException = {
    register()
    new AnalysisException(
      "TIDEGATE_LAST_BATCH_GONE",
      Map("batch" -> batchId.toString, "name" -> name),
      Some(cause)
    )
  }

  private def list(names: Iterable[String]): String = names.map(n => s"`$n`").mkString(", ")

  def extensionNotInstalled(): AnalysisException = error("EXTENSION_NOT_INSTALLED")

  def eventTimeNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("EVENT_TIME_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def eventTimeNotTimestamp(column: String, found: DataType): AnalysisException =
    error("EVENT_TIME_NOT_TIMESTAMP", "column" -> column, "found" -> found.sql)

  def substreamNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("SUBSTREAM_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def substreamType(column: String, found: DataType): AnalysisException =
    error("SUBSTREAM_TYPE", "column" -> column, "found" -> found.sql)

  def keyOutOfRange(key: Int): AnalysisException =
    error("KEY_OUT_OF_RANGE", "found" -> key.toString)

  def keyUsedTwice(key: Byte, eventTime: String, earlier: String): AnalysisException =
    error("KEY_USED_TWICE", "key" -> key.toString, "column" -> eventTime, "earlier" -> earlier)

  def columnKeyedTwice(column: String, key: Long): AnalysisException =
    error("COLUMN_KEYED_TWICE", "column" -> column, "key" -> key.toString)

  def invalidDuration(argument: String, found: String): AnalysisException =
    error("INVALID_DURATION", "argument" -> argument, "found" -> found)

  def durationTooSmall(argument: String, found: String, smallest: String): AnalysisException =
    error("DURATION_TOO_SMALL", "argument" -> argument, "found" -> found, "smallest" -> smallest)

  def lagOrPolicy(found: String): AnalysisException = error("LAG_OR_POLICY", "found" -> found)

  def unknownPolicy(kind: String, found: String, known: Seq[String]): AnalysisException =
    error("UNKNOWN_POLICY", "kind" -> kind, "found" -> found, "known" -> list(known))

  def emptyName(): AnalysisException = error("EMPTY_NAME")

  def mixedWatermarks(keyed: String, spark: String): AnalysisException =
    error("MIXED_WATERMARKS", "keyed" -> keyed, "spark" -> spark)

  def ambiguousEventTime(operator: String, columns: Seq[String]): AnalysisException =
    error("AMBIGUOUS_EVENT_TIME", "operator" -> operator, "columns" -> list(columns))

  def keyNotAvailable(
      operator: String,
      column: String,
      key: Byte,
      reason: String
  ): AnalysisException =
    error(
      "KEY_NOT_AVAILABLE",
      "operator" -> operator,
      "column" -> column,
      "key" -> key.toString,
      "reason" -> reason
    )

  /** A side without a column with a watermark key has no name here. */
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

  def invalidSetting(setting: String, found: String, wanted: String): AnalysisException =
    error("INVALID_SETTING", "setting" -> setting, "found" -> found, "wanted" -> wanted)

  def realTimeMode(): AnalysisException = error("REAL_TIME_MODE")

  def foreignOffset(found: String): AnalysisException =
    error("FOREIGN_OFFSET", "found" -> (if (found.length > 80) found.take(80) + "..." else found))

  def newerOffset(found: Int, known: Int): AnalysisException =
    error("NEWER_OFFSET", "found" -> found.toString, "known" -> known.toString)

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
