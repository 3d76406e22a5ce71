package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Explode, ExprId, Sequence}
import org.apache.spark.sql.catalyst.plans.logical.{Generate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.columns.{WindowMark, WindowRole}
import tidegate.errors.WindowErrors
import tidegate.settings.Settings

/**
 * The windows of `HOP` and `CUMULATE` in a stream: those that are not put together from frames copy
 * each row into all windows that contain it. Whether they do is known only when the query starts.
 */
private[tidegate] object WindowCopies {

  /** What identifies the windows of a call. */
  type Id = ExprId

  /** The windows in a column of an operator's input, if one of the two makes them. */
  def below(operator: LogicalPlan, window: Attribute): Option[Id] =
    WindowMark
      .of(window)
      .filter(mark => By.contains(mark.function))
      .flatMap(_ => operator.collectFirst { case Copies(id, _) => id })

  /**
   * Refuses windows that copy each row too often.
   *
   * @param reasonAgainst
   *   why windows are not put together from frames; `None` if they are
   */
  def check(plan: LogicalPlan)(reasonAgainst: Id => Option[String]): Unit = {
    val max = Settings.WindowsMaxPerRow.in(plan.conf)
    for {
      (project, windows, mark) <- plan.collect { case p @ Copies(id, mark) => (p, id, mark) }
      grid <- mark.grid
      perRow = grid.sizeMs / grid.slideMs
      if perRow > max
      reason <- reasonAgainst(windows)
    } CurrentOrigin.withOrigin(project.origin) {
      throw WindowErrors.windowsPerRow(mark.function, perRow, reason, max, By(mark.function))
    }
  }

  /** The functions that copy rows, each with the argument that says how often. */
  private val By = Map("HOP" -> "slide", "CUMULATE" -> "step")

  private object Copies {
    def unapply(plan: LogicalPlan): Option[(Id, WindowMark)] = plan match {
      case Project(list, Generate(Explode(_: Sequence), _, _, _, Seq(generated), _)) =>
        list
          .collectFirst {
            case a: Alias if WindowMark.hasRole(a.toAttribute, WindowRole.End) =>
              WindowMark.of(a.toAttribute)
          }
          .flatten
          .filter(mark => By.contains(mark.function))
          .map(generated.exprId -> _)
      case _ => None
    }
  }
}
