package tidegate.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.StructType
import tidegate.errors.Conditions.{error, list}

/** Errors of windows and of aggregations over windows. */
object WindowErrors {

  def hopSwapped(size: String, slide: String): AnalysisException =
    error("HOP_SWAPPED", "size" -> size, "slide" -> slide)

  def groupHopSwapped(slide: String, size: String): AnalysisException =
    error("GROUP_HOP_SWAPPED", "slide" -> slide, "size" -> size)

  /** @param wanted the names of the arguments */
  def groupWindow(function: String, wanted: String, found: Int): AnalysisException =
    error("GROUP_WINDOW", "function" -> function, "wanted" -> wanted, "found" -> found.toString)

  /** @param time a time column */
  def ofMonths(function: String, argument: String, found: String, time: String): AnalysisException =
    error(
      "WINDOW_OF_MONTHS",
      "function" -> function,
      "argument" -> argument,
      "found" -> found,
      "way" -> byCalendar("MONTH", time)
    )

  def inTimeZone(function: String, found: String, time: String): AnalysisException =
    error(
      "WINDOW_TIME_ZONE",
      "function" -> function,
      "found" -> found,
      "way" -> byCalendar("DAY", time)
    )

  /** The keys of an aggregation by days or months of the session's time zone. */
  private def byCalendar(unit: String, time: String): String = {
    val begin = s"date_trunc('$unit', $time)"
    s"$begin and session_window($time, concat(unix_micros($begin + INTERVAL 1 $unit) - " +
      s"unix_micros($time), ' microseconds'))"
  }

  def hopSlide(size: String, slide: String): AnalysisException =
    error("HOP_SLIDE", "size" -> size, "slide" -> slide)

  def cumulateSwapped(step: String, maxSize: String): AnalysisException =
    error("CUMULATE_SWAPPED", "step" -> step, "maxSize" -> maxSize)

  def cumulateStep(step: String, maxSize: String): AnalysisException =
    error("CUMULATE_STEP", "step" -> step, "maxSize" -> maxSize)

  /**
   * @param perRow
   *   the number of windows that contain a row
   * @param reason
   *   why they are not put together from frames
   * @param argument
   *   the argument that says how far windows are apart
   */
  def windowsPerRow(
      function: String,
      perRow: Long,
      reason: String,
      max: Int,
      argument: String
  ): AnalysisException =
    error(
      "WINDOWS_PER_ROW",
      "function" -> function,
      "found" -> perRow.toString,
      "reason" -> reason,
      "max" -> max.toString,
      "argument" -> argument
    )

  /** `set` are the columns of the grouping set that leaves out `column`. */
  def groupingSet(set: Seq[String], column: String): AnalysisException =
    error(
      "GROUPING_SET",
      "set" -> set.map(c => s"`$c`").mkString("(", ", ", ")"),
      "column" -> column
    )

  def windowByStart(function: String, column: String): AnalysisException =
    error("WINDOW_BY_START", "function" -> function, "column" -> column)

  def windowWithoutWatermark(function: String, column: String): AnalysisException =
    error("WINDOW_WITHOUT_WATERMARK", "function" -> function, "column" -> column)

  def windowOnComputedTime(function: String, column: String, source: String): AnalysisException =
    error(
      "WINDOW_ON_COMPUTED_TIME",
      "function" -> function,
      "column" -> column,
      "source" -> source
    )

  /** `found` is a key of the aggregation, or what a window among its keys is made of. */
  def aggregateOnComputedTime(
      found: String,
      source: Attribute,
      isOfSeveral: Boolean
  ): AnalysisException =
    error(
      "AGGREGATE_ON_COMPUTED_TIME",
      "found" -> found,
      "source" -> source.name,
      "time" -> timeOf(source),
      "also" -> (if (isOfSeveral)
                   " Give it a key of its own; after a join, its lag has to cover the bounds of " +
                     "the join too."
                 else "")
    )

  /**
   * @param time
   *   a column with a watermark
   * @param isKept
   *   whether the rows still have it
   */
  def aggregateWithoutTime(
      keys: Seq[String],
      time: Attribute,
      isKept: Boolean
  ): AnalysisException =
    error(
      "AGGREGATE_WITHOUT_TIME",
      "keys" -> (if (keys.isEmpty) "nothing" else keys.map(k => s"`$k`").mkString(", ")),
      "keep" -> (if (isKept) "" else s"Keep the column `${time.name}` up to the aggregation. "),
      "time" -> timeOf(time)
    )

  /** How to write the time of a column with a watermark, which may be a window. */
  private def timeOf(column: Attribute): String = column.dataType match {
    case _: StructType => s"window_time(`${column.name}`)"
    case _             => s"`${column.name}`"
  }

  /** The time is there, but a step has made its column anew. */
  def aggregateAfterLostTime(keys: Seq[String], time: String, step: String): AnalysisException =
    error(
      "AGGREGATE_AFTER_LOST_TIME",
      "keys" -> keys.map(k => s"`$k`").mkString(", "),
      "time" -> time,
      "step" -> step
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
}
