package tidegate.checks

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import tidegate.columns.EventTimeTag

/**
 * Where the watermark of a stream ends, because a step makes its columns anew.
 *
 * @param time
 *   the time column
 * @param step
 *   the step, as users call it
 */
private[checks] final case class LostTime(time: String, step: String)

private[checks] object LostTime {

  /**
   * `None` if a column with a watermark leaves the plan, if none is in it, or if the time is not
   * there any more under its name.
   */
  def in(plan: LogicalPlan): Option[LostTime] =
    if (keyed(plan).nonEmpty) None
    else ended(plan).filter(lost => plan.output.exists(_.name == lost.time))

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
