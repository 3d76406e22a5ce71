package tidegate.sql

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{LongType, Metadata}
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.{EventTimeTag, GlobalKey, PlusMicros, WindowMark, WindowRole, WindowTimes}
import tidegate.core.window.WindowGrid
import tidegate.errors.WindowErrors
import tidegate.plans.SessionWindows
import tidegate.settings.Settings

/**
 * Implements the window functions. They add the columns `window_start`, `window_end` and
 * `window_time` to their table, of the type of the time column. A row without a time is in no
 * window.
 *
 * Windows are counted from the epoch in UTC, whatever the time zone of the session. The start of
 * the window of `t` is `t - (t - offset) mod size`.
 */
private[sql] final class WindowFunctions(table: LogicalPlan, arguments: CallArguments) {
  import WindowTimes._

  private val time: Expression = arguments.time match {
    case Alias(field, _) => field
    case column          => column
  }

  /**
   * A window function over the result of another one hides the window columns of that other
   * function.
   */
  private def visible: Seq[Attribute] = table.output.filterNot { a =>
    WindowMark.of(a).exists(m => a.name.equalsIgnoreCase(m.role.columnName))
  }

  /** Puts every row into the one window that contains its time. */
  def tumble: LogicalPlan = {
    val size = arguments.lengthMs(Parameter.Size)
    val grid = WindowGrid(size, offset, size)
    val start = floor(micros(time), size)
    withColumns(notNull, EventTimeFunction.Tumble, grid, start, plus(start, size))
  }

  /** Puts a copy of every row into each of the `size / slide` windows that contain its time. */
  def hop: LogicalPlan = {
    val size = arguments.lengthMs(Parameter.Size)
    val slide = arguments.lengthMs(Parameter.Slide)
    arguments.atPlaceOf(Parameter.Slide) {
      if (size < slide && slide % size == 0)
        throw WindowErrors.hopSwapped(text(Parameter.Size), text(Parameter.Slide))
      if (size % slide != 0)
        throw WindowErrors.hopSlide(text(Parameter.Size), text(Parameter.Slide))
    }
    // For a stream, this is known only when its query starts.
    if (!table.isStreaming) {
      checkCopies("HOP", size / slide, Parameter.Slide, "a table has no frames")
    }
    val last = floor(micros(time), slide)
    // Of the windows over the first of all times, only those that begin within TIMESTAMP.
    val first = floor(PlusMicros(plus(last, slide - size), slide * MicrosPerMs - 1), slide)
    val starts = Sequence(Least(Seq(first, last)), last, Some(literal(slide)), None)
    val start = AttributeReference("start_micros", LongType, nullable = false)()
    withColumns(
      explode(starts, start),
      EventTimeFunction.Hop,
      WindowGrid(slide, offset, size),
      start,
      plus(start, size)
    )
  }

  /**
   * Puts a copy of every row into each window that contains its time; windows grow by `step` up to
   * `max_size`.
   */
  def cumulate: LogicalPlan = {
    val step = arguments.lengthMs(Parameter.Step)
    val maxSize = arguments.lengthMs(Parameter.MaxSize)
    arguments.atPlaceOf(Parameter.Step) {
      if (maxSize < step && step % maxSize == 0) {
        throw WindowErrors.cumulateSwapped(text(Parameter.Step), text(Parameter.MaxSize))
      }
      if (maxSize % step != 0)
        throw WindowErrors.cumulateStep(text(Parameter.Step), text(Parameter.MaxSize))
    }
    if (!table.isStreaming) {
      checkCopies("CUMULATE", maxSize / step, Parameter.Step, "a table has no frames")
    }
    val (first, last) = (
      plus(floor(micros(time), step), step),
      plus(floor(micros(time), maxSize), maxSize)
    )
    val end = AttributeReference("end_micros", LongType, nullable = false)()
    withColumns(
      explode(Sequence(first, last, Some(literal(step)), None), end),
      EventTimeFunction.Cumulate,
      WindowGrid(step, offset, maxSize, grows = true),
      floor(PlusMicros(end, -1L), maxSize),
      end
    )
  }

  /**
   * Sessions: rows of equal keys whose times are at most `gap` apart. Only an aggregation can merge
   * them: `LowerSessions` puts Spark's session windows there.
   */
  def session(keys: Seq[Attribute]): LogicalPlan = {
    val gap = arguments.durationMs(Parameter.Gap, smallestMs = 1)
    val gapLiteral = Literal(new CalendarInterval(0, 0, Math.multiplyExact(gap, MicrosPerMs)))
    val window = Alias(SessionWindow(time, gapLiteral), "session_window")()
    // Spark refuses sessions without a key in a stream, and removes a key that is a literal.
    val globalKey =
      if (keys.isEmpty && table.isStreaming) Some(Alias(GlobalKey(), "session_key")()) else None
    val columns = WindowRole.all.map { role =>
      AttributeReference(
        role.columnName,
        time.dataType,
        nullable = false,
        mark(role, EventTimeFunction.Session, None)
      )()
    }
    SessionWindows(
      Project(table.output ++ globalKey :+ window, table),
      keys,
      globalKey.map(_.toAttribute),
      visible,
      columns
    )
  }

  private def checkCopies(function: String, perRow: Long, by: Parameter, reason: String): Unit = {
    val max = Settings.WindowsMaxPerRow.in(table.conf)
    if (perRow > max) {
      arguments.atPlaceOf(by) {
        throw WindowErrors.windowsPerRow(function, perRow, reason, max, by.name)
      }
    }
  }

  private def text(p: Parameter): String = arguments.durationText(p)

  private lazy val offset: Long =
    arguments.offsetMs(Parameter.Offset).getOrElse(0L)

  private def notNull: LogicalPlan = Filter(IsNotNull(time), table)

  private def explode(values: Expression, value: Attribute): LogicalPlan =
    Generate(Explode(values), Nil, outer = false, None, Seq(value), notNull)

  private def withColumns(
      rows: LogicalPlan,
      function: EventTimeFunction,
      grid: WindowGrid,
      startMicros: Expression,
      endMicros: Expression
  ): LogicalPlan = {
    val values = Seq(startMicros, endMicros, plus(endMicros, -1))
    val columns = WindowRole.all.zip(values).map { case (role, value) =>
      val metadata = Some(mark(role, function, Some(grid)))
      Alias(PreciseTimestampConversion(value, LongType, time.dataType), role.columnName)(
        explicitMetadata = metadata
      )
    }
    Project(visible ++ columns, rows)
  }

  private def mark(
      role: WindowRole,
      function: EventTimeFunction,
      grid: Option[WindowGrid]
  ): Metadata = {
    val column = Some(time).collect { case a: Attribute => a }
    WindowMark(
      function.name,
      role,
      grid,
      arguments.timeName,
      column.flatMap(EventTimeTag.key),
      column.flatMap(EventTimeTag.lagMs)
    ).metadata
  }

  /** The last multiple of `stepMs`, counted from the offset, that is not after `micros`. */
  private def floor(micros: Expression, stepMs: Long): Expression =
    WindowTimes.floor(micros, stepMs, offset)
}
