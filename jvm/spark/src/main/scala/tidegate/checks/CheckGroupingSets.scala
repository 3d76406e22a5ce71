package tidegate.checks

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import tidegate.errors.WindowErrors
import tidegate.operators.StatefulOperators.OneInput

/**
 * Refuses `GROUPING SETS`, `ROLLUP` and `CUBE` over a stream if a set leaves out the column by
 * which groups leave the state: in the groups of that set the column is NULL, which no watermark
 * passes.
 */
object CheckGroupingSets {

  /**
   * For the plan of a query that is about to start. Output mode complete keeps all groups anyway.
   */
  def atStart(plan: LogicalPlan, mode: OutputMode): LogicalPlan = {
    if (mode != OutputMode.Complete()) {
      plan.foreach {
        case OneInput(a: Aggregate, kind) =>
          for (time <- kind.time(a); set <- setWithout(a.child, time)) {
            throw WindowErrors.groupingSet(set, time.name)
          }
        case _ => ()
      }
    }
    plan
  }

  /** The columns of the first grouping set in which a column is NULL. */
  @tailrec
  private def setWithout(plan: LogicalPlan, column: Attribute): Option[Seq[String]] = plan match {
    case e: Expand if e.output.exists(_.exprId == column.exprId) =>
      val i = e.output.indexWhere(_.exprId == column.exprId)
      e.projections.find(set => isNull(set(i))) match {
        case Some(set) => Some(columns(e, set))
        case None      =>
          e.projections.head(i) match {
            case source: Attribute => setWithout(e.child, source)
            case _                 => None
          }
      }
    case p: Project =>
      p.projectList.find(_.exprId == column.exprId).map(_.references.toSeq) match {
        // The end of a window may be computed from its start.
        case Some(Seq(source)) => setWithout(p.child, source)
        case Some(_)           => None
        case None              => setWithout(p.child, column)
      }
    case u: UnaryNode => setWithout(u.child, column)
    case _            => None
  }

  /**
   * The grouping columns of a set: the other columns are NULL, or constants that number the sets.
   */
  private def columns(e: Expand, set: Seq[Expression]): Seq[String] =
    e.output.zip(set).collect {
      case (column, _: Attribute) if !e.child.outputSet.contains(column) => column.name
    }

  private def isNull(e: Expression): Boolean = e match {
    case Literal(null, _)           => true
    case Alias(Literal(null, _), _) => true
    case _                          => false
  }
}
