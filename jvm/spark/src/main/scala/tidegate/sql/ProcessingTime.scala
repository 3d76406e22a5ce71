package tidegate.sql

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Cast,
  Expression,
  UnaryExpression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  CTERelationDef,
  CTERelationRef,
  LogicalPlan,
  Project,
  Union
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType
import tidegate.columns.{EventTimeTag, Proctime}
import tidegate.core.policy.PolicySpec
import tidegate.plans.{ColumnOrigin, KeyedWatermark}
import tidegate.request.{WatermarkArgument, WatermarkRequest}

/**
 * Windows of processing time: windows of a stream over a column that `PROCTIME()` makes.
 *
 * Below such a window the column is computed anew, so its rows have the time of the batch that
 * brings them to the window, also where an operator has held them back. The column gets a watermark
 * that is at the wall clock: Spark reads the clock for a batch after Tidegate has read it for the
 * watermark, so no row is late.
 *
 * @param whole
 *   the plan with the common table expressions
 */
private[sql] final class ProcessingTime(whole: LogicalPlan) {
  import ProcessingTime._

  /** Whether a time of the rows of `input` is one of processing, and has no watermark yet. */
  def isTimeOf(input: LogicalPlan, time: Expression): Boolean = input.isStreaming && (time match {
    case _: Proctime  => true
    case a: Attribute => EventTimeTag.key(a).isEmpty && isMade(input, a)
    case _            => false
  })

  private def isMade(plan: LogicalPlan, column: Attribute): Boolean =
    ColumnOrigin.of(plan, column) match {
      case ColumnOrigin(_, _, Some(_: Proctime)) => true
      // A view casts its columns to the types that they had.
      case origin @ ColumnOrigin(_, _, Some(Cast(a: Attribute, to, _, _))) =>
        a.dataType == to && isMade(origin.input, a)
      case ColumnOrigin(union: Union, own, _) =>
        val i = union.output.indexWhere(_.exprId == own.exprId)
        i >= 0 && union.children.forall(branch => isMade(branch, branch.output(i)))
      case ColumnOrigin(reference: CTERelationRef, own, _) =>
        val i = reference.output.indexWhere(_.exprId == own.exprId)
        i >= 0 && whole
          .collectFirst { case d: CTERelationDef if d.id == reference.cteId => d.child }
          .exists(definition => isMade(definition, definition.output(i)))
      case _ => false
    }

  /** The rows with the column `time` of processing time, in place of the one of this name. */
  def replaced(input: LogicalPlan, time: Attribute): LogicalPlan = {
    val now = Alias(Proctime.now, time.name)(qualifier = time.qualifier)
    val columns = input.output.map(a => if (a.exprId == time.exprId) now else a)
    keyed(Project(columns, input), now.toAttribute)
  }

  /** The rows with one column more. */
  def added(input: LogicalPlan): (LogicalPlan, Attribute) = {
    val now = Alias(Proctime.now, Proctime.Name)()
    val rows = keyed(Project(input.output :+ now, input), now.toAttribute)
    rows -> rows.output.last
  }

  private def keyed(input: LogicalPlan, time: Attribute): LogicalPlan = {
    val used = input.collect { case k: KeyedWatermark => k.spec.key }.toSet
    val free = (ProcessingTime.HighestKey to 0 by -1).find(key => !used(key.toByte))
    request(free.getOrElse(ProcessingTime.HighestKey)).over(input, time, WatermarkRequest.OfMethods)
  }
}

private[sql] object ProcessingTime {

  /** The key of processing time, unless the rows have one with this number already. */
  val HighestKey = 127

  /** A wall clock is never silent. */
  private def request(key: Int) = WatermarkRequest(
    WatermarkArgument.Key(key),
    WatermarkArgument.Policy(PolicySpec("limitingTimestampAndWallClockLag", Seq(0L, 0L))),
    WatermarkArgument.IdleTimeout(null),
    WatermarkArgument.Name(Proctime.Name)
  )
}

/**
 * The time of a window that is a key of an aggregation, until it is known where it comes from. It
 * keeps Spark from making the window before.
 */
private[sql] final case class WindowedTime(child: Expression)
    extends UnaryExpression
    with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = child.dataType
  override protected def withNewChildInternal(newChild: Expression): WindowedTime =
    copy(child = newChild)
}

/** Lets Spark make the windows of aggregations, and gives those of processing time a watermark. */
private[tidegate] object ResolveWindowedTimes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val processing = new ProcessingTime(plan)
    plan.resolveOperatorsUp {
      case a: Aggregate if a.child.resolved && times(a).exists(processing.isTimeOf(a.child, _)) =>
        val (rows, time) = processing.added(a.child)
        a.copy(child = rows).transformExpressions {
          case w: WindowedTime if processing.isTimeOf(a.child, w.child) => time
        }
      case p if p.childrenResolved && p.expressions.exists(!_.resolved) =>
        p.transformExpressions { case w: WindowedTime if w.child.resolved => w.child }
    }
  }

  private def times(a: Aggregate): Seq[Expression] =
    a.expressions.flatMap(_.collect { case w: WindowedTime if w.child.resolved => w.child })
}
