package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import tidegate.plans.KeyedWatermark

/** Finds the columns from which the log names the substream of a late row. */
private[preparation] object LateSubstream {

  /**
   * The columns of a plan that hold the substream of its rows; no columns if the stream is
   * undivided. `None` if a projection or an aggregation has left them out, or if rows of several
   * watermarks have them in different columns.
   *
   * @param watermarks
   *   the names of the watermarks that rows may come from
   */
  def of(plan: LogicalPlan, watermarks: Seq[String]): Option[Seq[Attribute]] =
    below(plan, watermarks.toSet).distinct match {
      case Seq(columns) => columns
      case _            => None
    }

  /** For each of the watermarks in a plan, its substream columns as far as the plan has them. */
  private def below(
      plan: LogicalPlan,
      watermarks: Set[String]
  ): Seq[Option[Seq[Attribute]]] = plan match {
    case k: KeyedWatermark if watermarks(k.spec.name) => Seq(Some(k.substream))
    case other                                        =>
      other.children.flatMap { child =>
        below(child, watermarks).map(_.flatMap(passedOn(other, child, _)))
      }
  }

  private def passedOn(
      plan: LogicalPlan,
      child: LogicalPlan,
      columns: Seq[Attribute]
  ): Option[Seq[Attribute]] = {
    val passed = columns.flatMap(passedOn(plan, child, _))
    Option.when(passed.size == columns.size)(passed)
  }

  private def passedOn(
      plan: LogicalPlan,
      child: LogicalPlan,
      column: Attribute
  ): Option[Attribute] = plan match {
    case u: Union   => u.output.lift(child.output.indexWhere(_.exprId == column.exprId))
    case p: Project =>
      p.projectList.collectFirst {
        case a: Attribute if a.exprId == column.exprId                         => a
        case a @ Alias(source: Attribute, _) if source.exprId == column.exprId => a.toAttribute
      }
    case other => other.output.find(_.exprId == column.exprId)
  }
}
