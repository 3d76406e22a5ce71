package tidegate

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.DataType
import tidegate.sql.EventTimeFunction

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
    // In SQL this is the place of the argument in question; elsewhere it is empty.
    new AnalysisException(s"TIDEGATE_$condition", parameters.toMap, CurrentOrigin.get)
  }

  def lastBatchGone(batchId: Long, name: String, cause: Throwable): AnalysisException = {
    register()
    new AnalysisException(
      "TIDEGATE_LAST_BATCH_GONE",
      Map("batch" -> batchId.toString, "name" -> name),
      Some(cause)
    )
  }

  /** Whether an error is one of these, or was caused by one: those of tasks arrive as a cause. */
  def isOwn(error: Throwable): Boolean =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).exists {
      case e: SparkThrowable => Option(e.getCondition).exists(_.startsWith("TIDEGATE_"))
      case _                 => false
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

  def ingestionTimeNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("INGESTION_TIME_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def ingestionTimeNotTimestamp(column: String, found: DataType): AnalysisException =
    error("INGESTION_TIME_NOT_TIMESTAMP", "column" -> column, "found" -> found.sql)

  def ingestionTimeAndPolicy(policy: String): AnalysisException =
    error("INGESTION_TIME_AND_POLICY", "policy" -> policy)

  def notAppendTime(topic: String, found: String): AnalysisException =
    error("NOT_APPEND_TIME", "topic" -> topic, "found" -> found)

  def tooManySubstreams(
      name: String,
      columns: Seq[String],
      found: Int,
      max: Int
  ): AnalysisException =
    error(
      "TOO_MANY_SUBSTREAMS",
      "name" -> name,
      "columns" -> list(columns),
      "found" -> found.toString,
      "max" -> max.toString
    )

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

  def tableMissing(function: EventTimeFunction): AnalysisException =
    error("TABLE_MISSING", "function" -> function.name, "example" -> function.example)

  def streamMisplaced(function: String): AnalysisException =
    error("STREAM_MISPLACED", "function" -> function)

  def intervalParameter(found: String): AnalysisException =
    error("INTERVAL_PARAMETER", "found" -> found)

  def tableOrder(function: String): AnalysisException = error("TABLE_ORDER", "function" -> function)

  def partitionByNotTaken(function: String): AnalysisException =
    error("PARTITION_BY_NOT_TAKEN", "function" -> function)

  def partitionByExpression(function: String, found: String): AnalysisException =
    error("PARTITION_BY_EXPRESSION", "function" -> function, "found" -> found)

  def tooManyArguments(function: EventTimeFunction, found: Int): AnalysisException =
    error(
      "TOO_MANY_ARGUMENTS",
      "function" -> function.name,
      "signature" -> function.signature,
      "found" -> found.toString
    )

  def positionalAfterNamed(function: String, found: String): AnalysisException =
    error("POSITIONAL_AFTER_NAMED", "function" -> function, "found" -> found)

  def argumentTwice(function: String, argument: String): AnalysisException =
    error("ARGUMENT_TWICE", "function" -> function, "argument" -> argument)

  def argumentMissing(function: EventTimeFunction, argument: String): AnalysisException =
    error(
      "ARGUMENT_MISSING",
      "function" -> function.name,
      "argument" -> argument,
      "signature" -> function.signature,
      "example" -> function.example
    )

  def unknownArgument(
      function: String,
      found: String,
      near: String,
      known: Seq[String]
  ): AnalysisException =
    error(
      "UNKNOWN_ARGUMENT",
      "function" -> function,
      "found" -> found,
      "near" -> near,
      "known" -> list(known)
    )

  def argumentNotConstant(function: String, argument: String, found: String): AnalysisException =
    error(
      "ARGUMENT_NOT_CONSTANT",
      "function" -> function,
      "argument" -> argument,
      "found" -> found
    )

  def invalidArgument(
      function: String,
      argument: String,
      found: String,
      wanted: String
  ): AnalysisException =
    error(
      "INVALID_ARGUMENT",
      "function" -> function,
      "argument" -> argument,
      "found" -> found,
      "wanted" -> wanted
    )

  def descriptorMissing(function: String, found: String): AnalysisException =
    error("DESCRIPTOR_MISSING", "function" -> function, "found" -> found)

  def descriptorColumns(function: String, found: Seq[String]): AnalysisException =
    error(
      "DESCRIPTOR_COLUMNS",
      "function" -> function,
      "number" -> (if (found.isEmpty) "no column" else s"${found.size} columns: ${list(found)}")
    )

  def descriptorOfExpression(found: String): AnalysisException =
    error("DESCRIPTOR_OF_EXPRESSION", "found" -> found)

  def timeColumnNotFound(
      function: String,
      column: String,
      columns: Seq[String]
  ): AnalysisException =
    error(
      "TIME_COLUMN_NOT_FOUND",
      "function" -> function,
      "column" -> column,
      "columns" -> list(columns)
    )

  def timeColumnNotTimestamp(
      function: String,
      column: String,
      found: DataType
  ): AnalysisException =
    error(
      "TIME_COLUMN_NOT_TIMESTAMP",
      "function" -> function,
      "column" -> column,
      "found" -> found.sql
    )

  def timeColumnIsField(column: String): AnalysisException =
    error("TIME_COLUMN_IS_FIELD", "column" -> column)

  def hopSwapped(size: String, slide: String): AnalysisException =
    error("HOP_SWAPPED", "size" -> size, "slide" -> slide)

  def hopSlide(size: String, slide: String): AnalysisException =
    error("HOP_SLIDE", "size" -> size, "slide" -> slide)

  def cumulateSwapped(step: String, maxSize: String): AnalysisException =
    error("CUMULATE_SWAPPED", "step" -> step, "maxSize" -> maxSize)

  def cumulateStep(step: String, maxSize: String): AnalysisException =
    error("CUMULATE_STEP", "step" -> step, "maxSize" -> maxSize)

  def windowByStart(function: String, column: String): AnalysisException =
    error("WINDOW_BY_START", "function" -> function, "column" -> column)

  def noJoin(function: String): AnalysisException = error("NO_JOIN", "function" -> function)

  def oneArgument(function: String, found: Int): AnalysisException =
    error("ONE_ARGUMENT", "function" -> function, "found" -> found.toString)

  def watermarkNameNeeded(found: String): AnalysisException =
    error("WATERMARK_NAME_NEEDED", "found" -> found)

  def unknownWatermark(found: String, known: Seq[String]): AnalysisException =
    error(
      "UNKNOWN_WATERMARK",
      "found" -> found,
      "known" -> (if (known.isEmpty) "none" else list(known))
    )

  def columnWithoutWatermark(function: String, column: String): AnalysisException =
    error("COLUMN_WITHOUT_WATERMARK", "function" -> function, "column" -> column)

  def isLateNotTime(found: String, dataType: DataType): AnalysisException =
    error("IS_LATE_NOT_TIME", "found" -> found, "type" -> dataType.sql)

  def isLateComputed(found: String): AnalysisException =
    error("IS_LATE_COMPUTED", "found" -> found)

  def windowWithoutWatermark(function: String, column: String): AnalysisException =
    error("WINDOW_WITHOUT_WATERMARK", "function" -> function, "column" -> column)

  def windowOnComputedTime(function: String, column: String, source: String): AnalysisException =
    error(
      "WINDOW_ON_COMPUTED_TIME",
      "function" -> function,
      "column" -> column,
      "source" -> source
    )

  def windowOnOtherTime(
      function: String,
      column: String,
      ordered: Seq[String]
  ): AnalysisException =
    error(
      "WINDOW_ON_OTHER_TIME",
      "function" -> function,
      "column" -> column,
      "ordered" -> list(ordered)
    )

  def windowsOfUnion(column: String, branches: Seq[String]): AnalysisException =
    error("WINDOWS_OF_UNION", "column" -> column, "branches" -> branches.mkString(", "))

  def sessionWithoutAggregate(): AnalysisException = error("SESSION_WITHOUT_AGGREGATE")

  def sessionNotGrouped(): AnalysisException = error("SESSION_NOT_GROUPED")

  def sessionKeys(wanted: Seq[String], found: Seq[String]): AnalysisException =
    error(
      "SESSION_KEYS",
      "wanted" -> (if (wanted.isEmpty) "nothing" else list(wanted)),
      "found" -> (if (found.isEmpty) "nothing else" else found.mkString(", "))
    )

  def sessionFiltered(condition: String): AnalysisException =
    error("SESSION_FILTERED", "condition" -> condition)

  def sessionColumnUsed(found: String): AnalysisException =
    error("SESSION_COLUMN_USED", "found" -> found)

  def orderKeyNotFound(column: String, columns: Seq[String]): AnalysisException =
    error("ORDER_KEY_NOT_FOUND", "column" -> column, "columns" -> list(columns))

  def orderKeyType(column: String, found: DataType): AnalysisException =
    error("ORDER_KEY_TYPE", "column" -> column, "found" -> found.sql)

  def orderWithoutWatermark(): AnalysisException = error("ORDER_WITHOUT_WATERMARK")

  def orderNotKeyed(column: String, source: Option[String]): AnalysisException = {
    val reason = source.fold("has no watermark") { s =>
      s"is computed from `$s` and so has no watermark any more"
    }
    error("ORDER_NOT_KEYED", "column" -> column, "reason" -> reason)
  }

  def orderTimeNeeded(columns: Seq[String]): AnalysisException =
    error(
      "ORDER_TIME_NEEDED",
      "found" -> (if (columns.isEmpty) "no time column" else s"the time columns ${list(columns)}")
    )

  def orderOutputMode(found: String): AnalysisException =
    error("ORDER_OUTPUT_MODE", "found" -> found)

  def orderChanged(operator: String, before: String, now: String): AnalysisException =
    error("ORDER_CHANGED", "operator" -> operator, "before" -> before, "now" -> now)

  def framesRefused(operator: String, windows: String, found: String): AnalysisException =
    error("FRAMES_REFUSED", "operator" -> operator, "windows" -> windows, "found" -> found)
}
