package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{DataType, LongType, MetadataBuilder, StructType}
import tidegate.columns.{EventTimeTag, PlusMicros, WindowMark, WindowRole, WindowTimes}
import tidegate.core.window.WindowGrid
import tidegate.operators.WindowColumns
import tidegate.plans.{DropLate, RetagEventTime}

/**
 * Where the windows below an aggregation are made: by our table functions, by Spark's `window`, or
 * by an aggregation over the same windows.
 */
private[tidegate] object WindowSources {
  private val MicrosPerMs = 1000L

  /**
   * Goes down from an aggregation to where `window`, one of its columns, is made, and removes the
   * copying of rows on the way back.
   */
  def of(plan: LogicalPlan, window: Attribute): FrameWindows.Found = plan match {
    case Copies(found) if found.columns.contains(window)       => Right(found)
    case Tumble(found) if found.columns.contains(window)       => Right(found)
    case SparkWindows(found) if found.columns.contains(window) => Right(found)
    case p: Project        => of(p.child, sourceOf(p, window)).flatMap(FrameWindows.project(p, _))
    case f: Filter         => of(f.child, window).flatMap(FrameWindows.filter(f, _))
    case d: DropLate       => of(d.child, window).map(FrameWindows.dropLate(d, _))
    case r: RetagEventTime => of(r.child, window)
    case s: SubqueryAlias  => of(s.child, window)
    case v: View           => of(v.child, window)
    case a: Aggregate      => Aggregated.windows(a, window).toRight(between(a))
    case other             => Left(between(other))
  }

  private def between(node: LogicalPlan) =
    s"there is a ${node.nodeName} between the window function and the aggregation"

  /** The windows of an aggregation, made so that the plan does not grow with their number. */
  def generated(plan: LogicalPlan): LogicalPlan = plan match {
    case e: Expand => SparkWindows.generated(e).getOrElse(e)
    case _: Project | _: Filter | _: DropLate | _: RetagEventTime | _: SubqueryAlias | _: View =>
      plan.mapChildren(generated)
    case other => other
  }

  private def sourceOf(p: Project, window: Attribute): Attribute =
    p.projectList
      .collectFirst {
        // The window under another name, or an end that was computed from a start.
        case a: Alias if a.exprId == window.exprId && a.references.size == 1 => a.references.head
      }
      .getOrElse(window)

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
          found <- FrameWindows.project(Project(list, p.child), made).toOption
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
        found <- FrameWindows
          .project(
            Project(columns.map(_.asInstanceOf[NamedExpression]), p.child),
            made
          )
          .toOption
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

  /**
   * The windows of an aggregation that are those of another one below, as the highest of the counts
   * of each window. A row is in one window, which its end tells from the others: so the frames are
   * as long as a slide, and each ends with a window.
   */
  private object Aggregated {

    def windows(a: Aggregate, window: Attribute): Option[FrameWindows] =
      for (grid <- WindowColumns.gridOf(a, window).filter(_ => a.outputSet.contains(window)))
        yield {
          val frame = newFrame()
          val marks = EventTimeTag.tagged(
            new MetadataBuilder,
            EventTimeTag.key(window),
            EventTimeTag.lagMs(window)
          )
          val time = Alias(last(window), window.name)(explicitMetadata = Some(marks))
          FrameWindows(
            Project(a.output :+ time, a),
            time.toAttribute,
            grid.ofEnds,
            frame,
            AttributeMap(
              a.output
                .filter(WindowColumns.areOfOneWindow(a, window, _))
                .map(column => column -> fromFrame(column, frame, grid))
            ),
            AttributeSet.empty
          )
        }

    /** The last whole millisecond of a window. */
    private def last(window: Attribute): Expression =
      if (WindowMark.hasRole(window, WindowRole.Time)) window
      else WindowTimes.shifted(EventTimeTag.decisive(window), -1)

    private def fromFrame(column: Attribute, frame: Attribute, grid: WindowGrid): Expression = {
      def time(micros: Expression, as: DataType) =
        KnownNullable(PreciseTimestampConversion(micros, LongType, as))
      def fromEnd(ms: Long) = WindowTimes.plus(frame, grid.slideMs + ms)
      val start =
        if (grid.grows) WindowTimes.floor(fromEnd(-1), grid.sizeMs, grid.offsetMs)
        else fromEnd(-grid.sizeMs)
      (column.dataType, WindowMark.of(column).map(_.role)) match {
        case (StructType(Array(from, to)), _) =>
          CreateNamedStruct(
            Seq(
              Literal(from.name),
              time(start, from.dataType),
              Literal(to.name),
              time(fromEnd(0), to.dataType)
            )
          )
        case (as, Some(WindowRole.Start)) => time(start, as)
        case (as, Some(WindowRole.Time))  => time(fromEnd(-1), as)
        case (as, _)                      => time(fromEnd(0), as)
      }
    }
  }

  private def newFrame(): Attribute = AttributeReference("frame", LongType, nullable = false)()
}
