package tidegate.checks

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import tidegate.columns.EventTimeTag
import tidegate.errors.RefusalErrors

/**
 * Where the watermark of a stream ends, because a step makes its columns anew.
 *
 * @param time
 *   the time column
 * @param step
 *   the step, as users call it
 */
private[tidegate] final case class LostTime(time: String, step: String) {

  def error: AnalysisException = RefusalErrors.timeLost(time, step)
}

private[tidegate] object LostTime {

  /**
   * `None` if a column with a watermark leaves the plan, if none is in it, or if the time is not
   * there any more under its name.
   */
  def in(plan: LogicalPlan): Option[LostTime] =
    if (keyed(plan).nonEmpty) None
    else ended(plan).filter(lost => plan.output.exists(_.name == lost.time))

  /** Where the watermark of one of the columns of a plan ends. */
  def of(plan: LogicalPlan, column: Attribute): Option[LostTime] =
    in(plan).filter(_.time == column.name)

  private def ended(plan: LogicalPlan): Option[LostTime] =
    plan.children
      .flatMap(keyed)
      .headOption
      .map(time => LostTime(time.name, step(plan)))
      .orElse(plan.children.flatMap(ended).headOption)

  private def keyed(plan: LogicalPlan): Seq[Attribute] =
    plan.output.filter(EventTimeTag.key(_).isDefined)

  private def step(plan: LogicalPlan): String = plan match {
    case _: Project             => "a new definition of the column"
    case _: DeserializeToObject => "a function over objects"
    case other                  =>
      val name = other.nodeName.stripPrefix("Python")
      name.take(1).toLowerCase(Locale.ROOT) + name.drop(1)
  }
}
