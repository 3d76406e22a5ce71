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
 * Gives the columns of a view their current marks. Spark keeps the marks from when the view was
 * made; since then, what the view reads may have got another watermark or other windows.
 *
 * A view whose columns had none of our marks, and have none now, stays as Spark made it.
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

  /** Whether a plan is a view on its own, which Spark checks before it uses the view in a query. */
  def isOfView(plan: LogicalPlan): Boolean = plan.getTagValue(ofView).isDefined

  /** The column that a column of a view reads, if its type is still the same. */
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
