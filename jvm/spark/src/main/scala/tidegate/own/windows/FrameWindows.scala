package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.types.LongType
import tidegate.columns.{PlusMicros, WindowMark, WindowRole, WindowTimes}
import tidegate.core.window.WindowGrid
import tidegate.operators.WindowColumns
import tidegate.plans.{DropLate, RetagEventTime}

/**
 * Rows before a window function copies them into their windows, as an aggregation over frames needs
 * them.
 *
 * @param rows
 *   the rows, each once
 * @param time
 *   the column that the windows are made from
 * @param frame
 *   stands for the frame that names a window, in µs; in the rows, for the start of their frame
 * @param columns
 *   every column that depends on the window alone, computed from the frame that names it
 * @param mixed
 *   columns that depend on both the window and the row
 * @param conditions
 *   the conditions of filters on the window, in terms of the frame that names it
 * @param operator
 *   the name of the operator whose late rows are dropped on the way; none if the query has not
 *   started
 */
private[tidegate] final case class FrameWindows(
    rows: LogicalPlan,
    time: Attribute,
    grid: WindowGrid,
    frame: Attribute,
    columns: AttributeMap[Expression],
    mixed: AttributeSet,
    conditions: Seq[Expression] = Nil,
    operator: Option[String] = None
) {

  /** Whether an expression depends on the window and on nothing else. */
  def isOfWindow(e: Expression): Boolean =
    e.references.nonEmpty && e.references.forall(columns.contains)

  def touchesWindow(e: Expression): Boolean =
    e.references.exists(a => columns.contains(a) || mixed.contains(a))

  /**
   * The rows with other columns, and with the start of their frame in the column `frame`.
   */
  def inFrames(others: Seq[NamedExpression]): LogicalPlan = {
    val value = WindowTimes.floor(WindowTimes.micros(time), grid.slideMs, grid.offsetMs)
    val start = Alias(value, frame.name)(exprId = frame.exprId)
    Project(rows.output ++ others :+ start, rows)
  }

  /** The expression in terms of the frame that names the window. */
  def fromFrame(e: Expression): Expression = e.transform {
    case a: Attribute if columns.contains(a) => columns(a)
  }
}

private[tidegate] object FrameWindows extends PredicateHelper {
  private val MicrosPerMs = 1000L

  /** Why there are no frames for what [[asksTable]]. */
  val AsksTable = "a subquery below the aggregation refers to the window"

  /** A plan without windows, or the reason why its windows cannot be put together from frames. */
  type Found = Either[String, FrameWindows]

  /**
   * Goes down from an aggregation to where `window`, one of its columns, is made, and removes the
   * copying of rows on the way back.
   */
  def of(plan: LogicalPlan, window: Attribute): Found = plan match {
    case Copies(found) if found.columns.contains(window)       => Right(found)
    case Tumble(found) if found.columns.contains(window)       => Right(found)
    case SparkWindows(found) if found.columns.contains(window) => Right(found)
    case p: Project        => of(p.child, sourceOf(p, window)).flatMap(project(p, _))
    case f: Filter         => of(f.child, window).flatMap(filter(f, _))
    case d: DropLate       => of(d.child, window).map(dropLate(d, _))
    case r: RetagEventTime => of(r.child, window)
    case s: SubqueryAlias  => of(s.child, window)
    case v: View           => of(v.child, window)
    case other             =>
      Left(s"there is a ${other.nodeName} between the window function and the aggregation")
  }

  /** The windows of an aggregation, made so that the plan does not grow with their number. */
  def generated(plan: LogicalPlan): LogicalPlan = plan match {
    case e: Expand => SparkWindows.generated(e).getOrElse(e)
    case _: Project | _: Filter | _: DropLate | _: RetagEventTime | _: SubqueryAlias | _: View =>
      plan.mapChildren(generated)
    case other => other
  }

  /**
   * In the plan of a batch, Spark has put the batch's time in the place of functions such as
   * `current_date`. The time counts as not deterministic, but all rows of the batch have the same.
   */
  private def isDeterministic(e: Expression): Boolean =
    e.transform { case time: CurrentBatchTimestamp => time.toLiteral }.deterministic

  /** Whether an expression may have another value in the batch in which the window leaves. */
  private def isOfBatch(e: Expression): Boolean =
    e.containsPattern(TreePattern.CURRENT_LIKE) || e.exists(_.isInstanceOf[CurrentBatchTimestamp])

  /**
   * Whether an expression asks a table for what goes with the window: Spark makes a join of that,
   * with the column of the window, which frames do not have.
   */
  def asksTable(e: Expression): Boolean = SubqueryExpression.hasCorrelatedSubquery(e)

  private def sourceOf(p: Project, window: Attribute): Attribute =
    p.projectList
      .collectFirst {
        // The window under another name, or an end that was computed from a start.
        case a: Alias if a.exprId == window.exprId && a.references.size == 1 => a.references.head
      }
      .getOrElse(window)

  private def project(p: Project, found: FrameWindows): Found = {
    val (window, rest) = p.projectList.partition(found.isOfWindow)
    val (mixed, own) = rest.partition(found.touchesWindow)
    if (p.projectList.exists(!isDeterministic(_))) {
      Left("an expression between the window function and the aggregation is not deterministic")
    } else if (window.exists(isOfBatch)) {
      Left("an expression compares the window with the time of the batch")
    } else if ((window ++ mixed).exists(asksTable)) {
      Left(AsksTable)
    } else {
      val kept = if (own.exists(_.exprId == found.time.exprId)) own else own :+ found.time
      Right(
        found.copy(
          rows = Project(kept, found.rows),
          columns = AttributeMap(window.map { e =>
            val definition = e match {
              case Alias(child, _) => child
              case attribute       => attribute
            }
            e.toAttribute -> found.fromFrame(definition)
          }),
          mixed = AttributeSet(mixed.map(_.toAttribute))
        )
      )
    }
  }

  /** A condition on the window alone can wait until the window is put together. */
  private def filter(f: Filter, found: FrameWindows): Found = {
    val (touching, ofRow) =
      splitConjunctivePredicates(f.condition).partition(found.touchesWindow)
    touching.find(!found.isOfWindow(_)) match {
      case _ if !isDeterministic(f.condition) =>
        Left("a filter between the window function and the aggregation is not deterministic")
      case _ if touching.exists(asksTable)    => Left(AsksTable)
      case None if touching.exists(isOfBatch) =>
        Left("a filter below the aggregation compares the window with the time of the batch")
      case Some(mixed) =>
        Left(s"a filter below the aggregation compares the window with the row: ${mixed.sql}")
      case None =>
        Right(
          found.copy(
            rows = ofRow.reduceOption(And(_, _)).fold(found.rows)(Filter(_, found.rows)),
            conditions = found.conditions ++ touching.map(found.fromFrame)
          )
        )
    }
  }

  /** A row is late when the last of its windows is closed. */
  private def dropLate(d: DropLate, found: FrameWindows): FrameWindows = {
    // The time may be the end of another window; here it counts as a plain time.
    val time = found.time.withMetadata(WindowMark.removed(found.time.metadata))
    found.copy(rows = d.before(found.rows, time, found.grid), operator = Some(d.operator))
  }

  /**
   * Our `HOP` and `CUMULATE`: a generator of starts, or of ends, and a projection that computes the
   * columns from them.
   */
  private object Copies {
    def unapply(p: Project): Option[FrameWindows] = p match {
      case Project(list, Generate(Explode(_: Sequence), _, _, _, Seq(value), child)) =>
        for {
          end <- list.collectFirst {
            case a: Alias
                if a.references
                  .contains(value) && WindowMark.hasRole(a.toAttribute, WindowRole.End) =>
              a.toAttribute
          }
          grid <- WindowMark.of(end).flatMap(_.grid)
          time <- WindowColumns.timeOf(p, end)
          frame = newFrame()
          // A window that grows is named by its last frame.
          of = if (grid.grows) WindowTimes.plus(frame, grid.slideMs) else frame
          made = FrameWindows(
            child,
            time,
            grid,
            frame,
            AttributeMap(Seq(value -> of)),
            AttributeSet.empty
          )
          found <- project(Project(list, p.child), made).toOption
        } yield found
      case _ => None
    }
  }

  /** Our `TUMBLE`: a projection that makes all columns from the time. */
  private object Tumble {
    def unapply(p: Project): Option[FrameWindows] =
      for {
        (begin, start) <- p.projectList.collectFirst {
          case a @ Alias(PreciseTimestampConversion(micros, LongType, _), _)
              if WindowMark.of(a.toAttribute).exists(isStart) =>
            a.toAttribute -> micros
        }
        grid <- WindowMark.of(begin).flatMap(_.grid)
        time <- WindowColumns.timeOf(p, begin)
        frame = newFrame()
        columns = p.projectList.map(_.transformDown { case e if e.semanticEquals(start) => frame })
        made = FrameWindows(
          p.child,
          time,
          grid,
          frame,
          AttributeMap(Seq(frame -> frame)),
          AttributeSet.empty
        )
        found <- project(
          Project(columns.map(_.asInstanceOf[NamedExpression]), p.child),
          made
        ).toOption
      } yield found

    private def isStart(mark: WindowMark): Boolean =
      mark.function == "TUMBLE" && mark.role == WindowRole.Start
  }

  /**
   * Spark's `window`: a projection; with a slide, one projection for each window, under a filter.
   */
  private object SparkWindows {
    def unapply(plan: LogicalPlan): Option[FrameWindows] = plan match {
      case e: Expand  => e.projections.headOption.flatMap(of(e, e.output, _))
      case p: Project => of(p, p.output, p.projectList)
      case _          => None
    }

    private def of(
        plan: UnaryNode,
        columns: Seq[Attribute],
        definitions: Seq[Expression]
    ): Option[FrameWindows] =
      for {
        (window, definition) <- columns.zip(definitions).collectFirst {
          case (column, Alias(made, _)) if isWindow(column) => column -> made
          case (column, made) if isWindow(column)           => column -> made
        }
        if !definition.isInstanceOf[Attribute]
        (grid, time) <- WindowColumns.grid(plan, window)
        frame = newFrame()
      } yield FrameWindows(
        plan.child match {
          case g: Generate if g.generatorOutput.exists(definition.references.contains) => g.child
          case rows                                                                    => rows
        },
        time,
        grid,
        frame,
        // The last windows of all would end after the end of time.
        AttributeMap(Seq(window -> fromStart(definition, frame)(PlusMicros(frame, _)))),
        AttributeSet.empty
      )

    /**
     * Makes sliding windows from a list of their starts, not each by an expression of its own:
     * Spark plans every batch again, and goes through all expressions each time.
     */
    def generated(e: Expand): Option[LogicalPlan] =
      for {
        (window, definition) <- e.output.zip(e.projections.head).find(c => isWindow(c._1))
        (grid, _) <- WindowColumns.grid(e, window)
        last <- definition.collectFirst {
          case c: PreciseTimestampConversion if c.fromType == LongType => c.child
        }
      } yield {
        val first = Subtract(last, Literal((grid.sizeMs - grid.slideMs) * MicrosPerMs))
        val starts =
          Sequence(first, last, Some(Literal(grid.slideMs * MicrosPerMs)), Some("UTC"))
        val start = AttributeReference("start_micros", LongType, nullable = false)()
        val made = Alias(fromStart(definition, start)(s => Add(start, Literal(s))), window.name)(
          window.exprId,
          window.qualifier,
          Some(window.metadata)
        )
        Project(
          made +: e.output.filterNot(_.exprId == window.exprId),
          Generate(Explode(starts), Nil, outer = false, None, Seq(start), e.child)
        )
      }

    private def isWindow(column: Attribute) = column.metadata.contains(TimeWindow.marker)

    /**
     * Spark computes start and end from the time; here they are computed from the start, otherwise
     * in the same way.
     *
     * @param endOf
     *   the end of a window, from its length in µs
     */
    private def fromStart(window: Expression, start: Attribute)(
        endOf: Long => Expression
    ): Expression =
      window.transformDown {
        case c: PreciseTimestampConversion if c.fromType == LongType =>
          c.child match {
            case Add(_, Literal(size: Long, LongType), _) => c.copy(child = endOf(size))
            case _                                        => c.copy(child = start)
          }
      }
  }

  private def newFrame(): Attribute = AttributeReference("frame", LongType, nullable = false)()
}
