package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Expand, LogicalPlan, Project}
import org.apache.spark.sql.types.LongType
import tidegate.plans.WindowGrid

/** Finds out how a window column was made. */
object WindowColumns {
  private val MicrosPerMs = 1000L

  /**
   * The grid of the tumbling or sliding windows in `column`, and the column that they were made of,
   * as Spark's `window` function lowers them; `None` for sessions and windows of another origin.
   */
  def grid(plan: LogicalPlan, column: Attribute): Option[(WindowGrid, Attribute)] =
    if (!column.metadata.contains(TimeWindow.marker)) None
    else definition(plan, column).flatMap(fromDefinition)

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
