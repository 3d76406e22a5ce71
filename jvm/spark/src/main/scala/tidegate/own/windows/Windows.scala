package tidegate.own.windows

import java.time.Instant

import scala.collection.mutable

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.SparkPlan
import tidegate.core.EndOfTime
import tidegate.core.window.{WindowChange, WindowGrid}
import tidegate.operators.{EventTimeColumn, StatefulOperators, WindowColumns}
import tidegate.own.aggregates.{AggregateColumns, PartialAggregation}
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.{DropLate, OwnState}
import tidegate.settings.Setting
import tidegate.settings.Settings.WindowsEnabled

/**
 * What the frames in a state mean.
 *
 * @param grid
 *   the windows that are put together from the frames
 * @param isShort
 *   whether the state has short rows, which are for windows that do not overlap
 */
final case class WindowState(grid: WindowGrid, isShort: Boolean) extends OwnState {
  override def kind: String = Windows.kind
  override def windows: Option[WindowGrid] = Some(grid)
}

/**
 * Windows of a fixed size, and windows that grow: they are put together from frames where that
 * gives the same rows as Spark's plan.
 */
private[tidegate] object Windows extends OwnOperator {

  override val kind: String = FrameAggregate.StateName

  override val noun: String = "windows"

  override val names: Seq[String] = Seq("aggregate")

  override val enabled: Option[Setting[Boolean]] = Some(WindowsEnabled)

  override def claim(node: LogicalPlan): Option[Claim] =
    WindowAggregate.unapply(node).map { case (a, window, grid) =>
      val found = framesOf(a, window, grid)
      Claim(
        StatefulOperators.nameInQuery(a),
        a.groupingExpressions,
        isAppendOnly = true,
        isKeptForSpark = found.fold(_ => grid, _.grid).isPlain,
        // A state keeps the rows that it has; a new one has short rows for windows that do not
        // overlap.
        stored =>
          found.map { f =>
            val isShort =
              stored.fold(f.grid.isPlain)(s => FrameAggregate.hasShortRows(s.valueSchema))
            WindowState(f.grid, isShort)
          },
        {
          case WindowState(_, isShort) =>
            found.fold(decidedOn, aggregateFrames(a, _, isShort))
          case _ => a
        }
      )
    }

  private def decidedOn(reason: String): Nothing =
    throw new IllegalStateException(s"Frames were decided on, but now: $reason")

  override def inWords(stored: StoredState): String =
    s"the frames for ${stored.mark.flatMap(_.frames).fold("windows")(_.toString)}"

  override val needed: String = "windows of a fixed size"

  override def changed(
      operator: String,
      before: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] = (before.mark.flatMap(_.frames), now.windows) match {
    case (Some(former), Some(grid)) if former.grows != grid.grows => Left(s"the query has $grid")
    case (Some(former), Some(grid)) if former != grid             =>
      Right(Some(change(operator, grid, former, before.mark.flatMap(_.evictionMs).getOrElse(0L))))
    case _ => Right(None)
  }

  private def change(
      operator: String,
      windows: WindowGrid,
      before: WindowGrid,
      watermarkMs: Long
  ): Change = {
    val change = WindowChange(before.inMicros, windows.inMicros)
    val watermark = EndOfTime.micros(watermarkMs)
    val result = (change.keepsFramesWhole, change.purged(watermark)) match {
      case (true, None)                => "compatible, all windows are exact."
      case (true, Some((first, last))) =>
        s"compatible with these windows affected: those that end from ${time(first)} to " +
          s"${time(last)} miss the rows that had left the state."
      case (false, _) =>
        val first =
          EndOfTime.plus(windows.inMicros.lastEnd(watermark), windows.inMicros.slide)
        s"compatible with these windows affected: from the one that ends at ${time(first)} to the " +
          "last one with rows from before, as their frames move to the new frame in which they end."
    }
    Change(
      s"The windows of $operator were changed from $before to $windows: $result",
      isExact = change.keepsFramesWhole && change.purged(watermark).isEmpty
    )
  }

  private val MicrosPerMs = 1000L

  private def time(micros: Long): String =
    Instant.ofEpochMilli(Math.floorDiv(micros, MicrosPerMs)).toString

  /**
   * Makes sliding windows in a way that does not grow with their number, and refuses windows that
   * copy each row too often. The lowest aggregation over windows decides: one above it does not get
   * the copies of the rows.
   */
  override def prepared(
      plan: LogicalPlan,
      reason: LogicalPlan => Option[String]
  ): LogicalPlan = {
    val perWindows = mutable.Map.empty[WindowCopies.Id, Option[String]]
    val made = plan.transformUp { case node @ WindowAggregate(a, window, grid) =>
      val against = reason(node)
      WindowCopies.below(a, window).foreach(perWindows.getOrElseUpdate(_, against))
      if (against.isEmpty && grid.isSliding) a.copy(child = WindowSources.generated(a.child)) else a
    }
    WindowCopies.check(plan)(perWindows.getOrElse(_, Some("no aggregation runs on its windows")))
    made
  }

  /** An aggregation of a stream over windows of a fixed size, on a keyed watermark. */
  private object WindowAggregate {
    def unapply(plan: LogicalPlan): Option[(Aggregate, Attribute, WindowGrid)] = plan match {
      case a: Aggregate if a.isStreaming =>
        for {
          window <- windowOf(a)
          grid <- WindowColumns.gridOf(a.child, window)
          if grid.sizeMs >= grid.slideMs
        } yield (a, window, grid)
      case _ => None
    }

    private def windowOf(a: Aggregate): Option[Attribute] =
      try EventTimeColumn.of(a)
      catch {
        // Two candidates are an error when the query starts, but not when it is explained.
        case _: AnalysisException => None
      }
  }

  /** The frames of an aggregation, or why its windows cannot be put together from frames. */
  private def framesOf(a: Aggregate, window: Attribute, grid: WindowGrid): FrameWindows.Found = {
    val sources = WindowSources.of(a.child, window)
    val windows = sources.fold(_ => grid, _.grid)
    for {
      _ <- Either.cond(
        windows.sizeMs % windows.slideMs == 0,
        (),
        s"the size of the windows, ${windows.sizeMs} ms, is not a multiple of their slide, " +
          s"${windows.slideMs} ms"
      )
      found <- sources
      _ <- refusedKey(a, found).toLeft(())
      _ <- AggregateColumns.refused(a)(found.touchesWindow, "looks at the window").toLeft(())
    } yield found
  }

  private def refusedKey(a: Aggregate, found: FrameWindows): Option[String] = {
    val (ofWindow, others) = a.groupingExpressions.partition(found.isOfWindow)
    others
      .find(found.touchesWindow)
      .map(key => s"the key ${key.sql} is made of the window and the row")
      .orElse(ofWindow.find(FrameWindows.asksTable).map(_ => FrameWindows.AsksTable))
  }

  private def aggregateFrames(a: Aggregate, found: FrameWindows, isShort: Boolean): LogicalPlan = {
    val columns = new AggregateColumns(a, a.groupingExpressions.filterNot(found.isOfWindow))
    val frames = Aggregate(
      columns.names :+ found.frame,
      columns.aggregated :+ found.frame,
      found.inFrames(columns.computed)
    )
    val windows = FrameAggregate(found.frame, found.grid, found.operator, isShort, frames)
    Project(
      a.aggregateExpressions.map(columns.result(_)(found.columns)),
      found.conditions.reduceOption(And(_, _)).fold[LogicalPlan](windows)(Filter(_, windows))
    )
  }

  /** The partial aggregation is Spark's: by the keys and the frame, before the shuffle. */
  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case AggregateColumns.Results(results, node: FrameAggregate) =>
      val partial = PartialAggregation(node.child, node.frame)
      val context = in.context(node.operator, DropLate.LowestMs)
      FrameAggregateExec(
        partial.aggregates(node.frame, results),
        node.grid,
        node.isShort,
        in.restores(context),
        context,
        partial.over(in.planLater(partial.child))
      )
  }
}
