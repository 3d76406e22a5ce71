package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern
import tidegate.columns.{WindowMark, WindowTimes}
import tidegate.core.window.WindowGrid
import tidegate.plans.DropLate

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

  /** Why there are no frames for what [[asksTable]]. */
  val AsksTable = "a subquery below the aggregation refers to the window"

  /** A plan without windows, or the reason why its windows cannot be put together from frames. */
  type Found = Either[String, FrameWindows]

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

  def project(p: Project, found: FrameWindows): Found = {
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
  def filter(f: Filter, found: FrameWindows): Found = {
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
  def dropLate(d: DropLate, found: FrameWindows): FrameWindows = {
    // The time may be the end of another window; here it counts as a plain time.
    val time = found.time.withMetadata(WindowMark.removed(found.time.metadata))
    found.copy(rows = d.before(found.rows, time, found.grid), operator = Some(d.operator))
  }
}
