package tidegate.analysis

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Generate, LogicalPlan, Project}
import org.apache.spark.sql.types.LongType
import tidegate.plans.{WindowGrid, WindowMark, WindowRole}

/** Finds out how a window column was made. */
object WindowColumns {
  private val MicrosPerMs = 1000L

  /**
   * The grid of the windows in `column`, and the column that they were made of: as our own window
   * functions mark them, or as Spark's `window` function lowers them. `None` for sessions and
   * windows of another origin.
   */
  def grid(plan: LogicalPlan, column: Attribute): Option[(WindowGrid, Attribute)] =
    WindowMark.of(column) match {
      case Some(mark) => for (g <- mark.grid; time <- timeOf(plan, column)) yield g -> time
      case None if column.metadata.contains(TimeWindow.marker) =>
        definition(plan, column).flatMap(fromDefinition)
      case None => None
    }

  /** The grid of the windows in `column`, also where the column that they were made of is gone. */
  def gridOf(plan: LogicalPlan, column: Attribute): Option[WindowGrid] =
    WindowMark.of(column).flatMap(_.grid).orElse(grid(plan, column).map(_._1))

  /** The time column that the windows in a column of ours were made of, as far as it is there. */
  @tailrec
  def timeOf(plan: LogicalPlan, column: Attribute): Option[Attribute] =
    computed(plan, column) match {
      case Some((Alias(renamed: Attribute, _), below))              => timeOf(below, renamed)
      case Some((computed, below)) if computed.references.size == 1 =>
        val from = computed.references.head
        // An end that was added later comes from the start.
        if (WindowMark.hasRole(from, WindowRole.Start)) timeOf(below, from)
        else Some(generated(below, from).getOrElse(from))
      case _ => None
    }

  /** Of a window among several, the time column of the generator, which is right below. */
  private def generated(plan: LogicalPlan, value: Attribute): Option[Attribute] = plan match {
    case g: Generate if g.generatorOutput.exists(_.exprId == value.exprId) =>
      g.generator.references.headOption
    case _ => None
  }

  /** The expression of a computed column, and the plan that it refers to. */
  def computed(plan: LogicalPlan, column: Attribute): Option[(NamedExpression, LogicalPlan)] =
    plan.collectFirst {
      case Project(list, child) if list.exists(e => e.exprId == column.exprId && !isColumn(e)) =>
        list.find(_.exprId == column.exprId).get -> child
    }

  private def isColumn(e: Expression): Boolean = e.isInstanceOf[Attribute]

  private def definition(plan: LogicalPlan, column: Attribute): Option[Expression] = plan match {
    case p: Project =>
      p.projectList.find(_.exprId == column.exprId) match {
        case Some(Alias(source: Attribute, _)) => definition(p.child, source)
        case Some(Alias(expression, _))        => Some(expression)
        case _                                 => definition(p.child, column)
      }
    case e: Expand if e.projections.nonEmpty =>
      e.output.indexWhere(_.exprId == column.exprId) match {
        case -1 => definition(e.child, column)
        case i  =>
          e.projections.head(i) match {
            case source: Attribute => definition(e.child, source)
            case expression        => Some(expression)
          }
      }
    case other =>
      other.children.find(_.outputSet.contains(column)).flatMap(definition(_, column))
  }

  /**
   * Spark computes the start from `(time - offset) % slide`, and the end as `start + size`, in µs.
   */
  private def fromDefinition(window: Expression): Option[(WindowGrid, Attribute)] =
    for {
      (time, offset, slide) <- window.collectFirst {
        case Remainder(
              Subtract(PreciseTimestampConversion(time: Attribute, _, _), MicrosLiteral(offset), _),
              MicrosLiteral(slide),
              _
            ) =>
          (time, offset, slide)
      }
      size <- window.collectFirst {
        case PreciseTimestampConversion(Add(_, MicrosLiteral(size), _), LongType, _) => size
      }
      if Seq(slide, offset, size).forall(_ % MicrosPerMs == 0)
    } yield WindowGrid(slide / MicrosPerMs, offset / MicrosPerMs, size / MicrosPerMs) -> time

  private object MicrosLiteral {
    def unapply(e: Expression): Option[Long] = e match {
      case Literal(micros: Long, LongType) => Some(micros)
      case _                               => None
    }
  }
}
