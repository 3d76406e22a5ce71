package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Explode, ExprId, Sequence}
import org.apache.spark.sql.catalyst.plans.logical.{Generate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.columns.{WindowMark, WindowRole}
import tidegate.core.window.WindowGrid
import tidegate.errors.WindowErrors
import tidegate.settings.Settings

/**
 * The windows of `HOP` in a stream: those that are not put together from frames copy each row into
 * all windows that contain it. Whether they do is known only when the query starts.
 */
private[preparation] object WindowCopies {

  /** What identifies the windows of a call. */
  type Windows = ExprId

  /** The windows in a column of an operator's input, if `HOP` makes them. */
  def below(operator: LogicalPlan, window: Attribute): Option[Windows] =
    WindowMark
      .of(window)
      .filter(_.function == "HOP")
      .flatMap(_ => operator.collectFirst { case Hop(id, _) => id })

  /**
   * Refuses windows that copy each row too often.
   *
   * @param reasonAgainst
   *   why windows are not put together from frames; `None` if they are
   */
  def check(plan: LogicalPlan)(reasonAgainst: Windows => Option[String]): Unit = {
    val max = Settings.WindowsMaxPerRow.in(plan.conf)
    for {
      (project, windows, grid) <- plan.collect { case p @ Hop(id, grid) => (p, id, grid) }
      perRow = grid.sizeMs / grid.slideMs
      if perRow > max
      reason <- reasonAgainst(windows)
    } CurrentOrigin.withOrigin(project.origin) {
      throw WindowErrors.windowsPerRow("HOP", perRow, reason, max, "slide")
    }
  }

  private object Hop {
    def unapply(plan: LogicalPlan): Option[(Windows, WindowGrid)] = plan match {
      case Project(list, Generate(Explode(_: Sequence), _, _, _, Seq(start), _)) =>
        list
          .collectFirst {
            case a: Alias if WindowMark.hasRole(a.toAttribute, WindowRole.End) =>
              WindowMark.of(a.toAttribute).filter(_.function == "HOP").flatMap(_.grid)
          }
          .flatten
          .map(start.exprId -> _)
      case _ => None
    }
  }
}
