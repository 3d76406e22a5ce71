package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Cast,
  Expression,
  NamedExpression,
  UpCast
}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import tidegate.columns.EventTimeTag

/**
 * Gives the columns of a view the marks that they have today. Spark keeps those of the day when the
 * view was made: what it reads may have got another watermark, or other windows, since.
 *
 * A view whose columns had no mark of ours, and have none now, stays as Spark made it.
 */
object RefreshViewColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      plan.transformUp {
        case p: Project if p.resolved && p.projectList.exists(source(_).isDefined) =>
          val isOurs = p.projectList.exists(hasOrHadMark)
          val view = if (isOurs) p.copy(projectList = p.projectList.map(refreshed)) else p
          view.setTagValue(ofView, ())
          view
      }
    }

  private def hasOrHadMark(column: NamedExpression): Boolean =
    source(column).exists(from => Seq(column.metadata, from.metadata).exists(EventTimeTag.isOurs))

  private def refreshed(column: NamedExpression): NamedExpression = (column, source(column)) match {
    case (a: Alias, Some(from)) =>
      val metadata = EventTimeTag.withMarksOf(a.metadata, from)
      Alias(from, a.name)(a.exprId, a.qualifier, Some(metadata), a.nonInheritableMetadataKeys)
    case _ => column
  }

  private val ofView = TreeNodeTag[Unit]("tidegate.view")

  /** Whether a plan is that of a view by itself, which Spark checks before it puts it to use. */
  def isOfView(plan: LogicalPlan): Boolean = plan.getTagValue(ofView).isDefined

  /** Of a column of a view whose type is still the same, the column that it is. */
  private def source(column: Expression): Option[Attribute] = column match {
    case a @ Alias(cast, _) if a.explicitMetadata.isDefined =>
      val from = Option(cast).collect {
        case c: Cast   => c.child
        case u: UpCast => u.child
      }
      from.collect { case s: Attribute if s.dataType == a.dataType => s }
    case _ => None
  }
}
