package tidegate.own.windows

import scala.collection.mutable

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.streaming.OutputMode
import tidegate.clock.StateCheckpoint
import tidegate.core.window.WindowGrid
import tidegate.operators.{EventTimeColumn, StatefulOperators, WindowColumns}
import tidegate.own.NoFrames
import tidegate.own.aggregates.{AggregateColumns, IntervalKeys}
import tidegate.plans.{KeyedWatermark, PreparedQuery}
import tidegate.settings.Settings.FramesEnabled

/**
 * Puts windows together from frames, where that gives the same rows as Spark's plan; and where it
 * does not, says why.
 *
 * The rule runs on the plan of each batch, after the analysis. What a batch cannot know, such as
 * the output mode, is decided when the query starts: see [[PlanFrames.atStart]].
 */
object PlanFrames extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(_.isInstanceOf[KeyedWatermark])) plan
    else {
      // Inlines common table expressions: a running query has none any more, but an explained one
      // may.
      val inlined = InlineCTE(alwaysInline = true)(plan)
      inlined.collectFirst { case p: PreparedQuery => p.decisions.frames } match {
        case Some(decisions) =>
          inlined.transformUp { case WindowAggregate(a, window, grid) =>
            decided(a, window, grid, decisions)
          }
        case None =>
          inlined.transformUp {
            case WindowAggregate(a, window, grid) if !NoFrames.isUnder(a) =>
              refuse(!FramesEnabled.in(a.conf))(isFalse)
                .flatMap(_ => IntervalKeys.reason(a.groupingExpressions).toLeft(()))
                .flatMap(_ => planned(a, window, grid, Set.empty))
                .fold(NoFrames.under(a, _), identity)
          }
      }
    }

  private def decided(
      a: Aggregate,
      window: Attribute,
      grid: WindowGrid,
      decisions: FrameDecisions
  ): LogicalPlan = {
    val operator = operatorOf(a)
    def against = operator.flatMap(decisions.against.get).orElse(decisions.againstAll)
    if (operator.exists(decisions.windows.contains)) {
      planned(a, window, grid, decisions.short).fold(
        reason => throw new IllegalStateException(s"Frames were decided on, but now: $reason"),
        identity
      )
    } else against.fold[LogicalPlan](a)(NoFrames.under(a, _))
  }

  /** `None` for a table that is emitted whole. */
  private def operatorOf(a: Aggregate): Option[String] =
    StatefulOperators.nameInQuery(a).map(_.name)

  /**
   * For the plan of a query that is about to start. Where the checkpoint has state, the checkpoint
   * decides: frames stay frames, and windows that were made without frames continue without them.
   *
   * @param isReplaced
   *   whether a watermark of the query is Spark's, and a keyed one took its place
   * @return
   *   the plan, in which sliding windows are made in a shorter way, and the decisions
   * @throws AnalysisException
   *   if the checkpoint has frames that the query cannot continue with, or windows without frames
   *   copy each row too often
   */
  def atStart(
      plan: LogicalPlan,
      mode: OutputMode,
      checkpoint: StateCheckpoint,
      isReplaced: Boolean
  ): (LogicalPlan, FrameDecisions) = {
    val againstAll = reasonAgainst(plan, mode)
    val windows = Map.newBuilder[String, WindowGrid]
    val against = Map.newBuilder[String, String]
    // Whether windows are put together from frames, or why not. The lowest aggregation decides: one
    // above it does not get the copies of the rows.
    val perWindows = mutable.Map.empty[WindowCopies.Windows, Option[String]]
    val made = plan.transformUp { case WindowAggregate(a, window, grid) =>
      val hasFrames = RestoredFrames.exist(plan, a, checkpoint)
      lazy val reason = againstAll match {
        case None if !hasFrames && checkpoint.operators.nonEmpty =>
          Some("the checkpoint was made without frames")
        case None if !hasFrames && isReplaced && grid.isPlain => Some(KeptForSpark)
        case None                                             =>
          // State with such keys of an earlier version goes on.
          IntervalKeys
            .reason(a.groupingExpressions)
            .filterNot(_ => hasFrames)
            .orElse(planned(a, window, grid, Set.empty).left.toOption)
        case some => some
      }
      if (reason.isDefined) {
        operatorOf(a).foreach(against += _ -> reason.get)
        WindowCopies.below(a, window).foreach(perWindows.getOrElseUpdate(_, reason))
        a
      } else {
        operatorOf(a).foreach(windows += _ -> grid)
        WindowCopies.below(a, window).foreach(perWindows.getOrElseUpdate(_, None))
        if (grid.isSliding) a.copy(child = FrameWindows.generated(a.child)) else a
      }
    }
    val grids = windows.result()
    val short = RestoredFrames.short(plan, grids, checkpoint)
    val decisions = FrameDecisions(grids, short, against.result(), againstAll)
    RestoredFrames.check(plan, decisions, checkpoint)
    WindowCopies.check(plan)(perWindows.getOrElse(_, Some("no aggregation runs on its windows")))
    (made, decisions)
  }

  /**
   * Windows that do not overlap, and sessions, gain less than a job loses that may want to go back
   * to Spark.
   */
  private[own] val KeptForSpark =
    "the watermark is Spark's, replaced by a setting, and Spark can go on with its own state"

  private def reasonAgainst(plan: LogicalPlan, mode: OutputMode): Option[String] =
    if (mode != OutputMode.Append()) {
      Some(s"the output mode is ${mode.toString.toLowerCase}, and only append waits for windows")
    } else if (!FramesEnabled.in(plan.conf)) Some(isFalse)
    else None

  private def isFalse: String = s"${FramesEnabled.key} is false"

  /** An aggregation of a stream over windows of a fixed size, on a keyed watermark. */
  private object WindowAggregate {
    def unapply(a: Aggregate): Option[(Aggregate, Attribute, WindowGrid)] =
      for {
        _ <- Some(a).filter(_.isStreaming)
        window <- windowOf(a)
        grid <- WindowColumns.gridOf(a.child, window)
        if grid.sizeMs >= grid.slideMs
      } yield (a, window, grid)

    private def windowOf(a: Aggregate): Option[Attribute] =
      try EventTimeColumn.of(a)
      catch {
        // Two candidates are an error when the query starts, but not when it is explained.
        case _: AnalysisException => None
      }
  }

  private def planned(
      a: Aggregate,
      window: Attribute,
      grid: WindowGrid,
      short: Set[String]
  ): Either[String, LogicalPlan] =
    for {
      _ <- refuse(grid.sizeMs % grid.slideMs != 0)(
        s"the size of the windows, ${grid.sizeMs} ms, is not a multiple of their slide, " +
          s"${grid.slideMs} ms"
      )
      found <- FrameWindows.of(a.child, window)
      _ <- checkKeys(a, found)
      _ <- checkAggregates(a, found)
    } yield aggregateFrames(a, found, found.operator.exists(short))

  private def checkKeys(a: Aggregate, found: FrameWindows): Either[String, Unit] = {
    val (ofWindow, others) = a.groupingExpressions.partition(found.isOfWindow)
    others
      .find(found.touchesWindow)
      .map(key => s"the key ${key.sql} is made of the window and the row")
      .orElse(ofWindow.find(FrameWindows.asksTable).map(_ => FrameWindows.AsksTable))
  }.toLeft(())

  private def checkAggregates(a: Aggregate, found: FrameWindows): Either[String, Unit] = {
    val all = a.aggregateExpressions.flatMap(_.collect { case e: AggregateExpression => e })
    all.collectFirst {
      case e if e.isDistinct           => s"${e.sql} is distinct, and cannot be merged"
      case e if found.touchesWindow(e) => s"${e.sql} looks at the window"
      case e if e.aggregateFunction.isInstanceOf[PythonUDAF] => s"${e.sql} is a Python function"
    }
  }.toLeft(())

  private def refuse(when: Boolean)(reason: => String): Either[String, Unit] =
    Either.cond(!when, (), reason)

  private def aggregateFrames(a: Aggregate, found: FrameWindows, short: Boolean): LogicalPlan = {
    val columns = new AggregateColumns(a, a.groupingExpressions.filterNot(found.isOfWindow))
    val frames = Aggregate(
      columns.names :+ found.frame,
      columns.aggregated :+ found.frame,
      found.inFrames(columns.computed)
    )
    val windows = FrameAggregate(found.frame, found.grid, found.operator, short, frames)
    Project(
      a.aggregateExpressions.map(columns.result(_)(found.columns)),
      found.conditions.reduceOption(And(_, _)).fold[LogicalPlan](windows)(Filter(_, windows))
    )
  }
}
