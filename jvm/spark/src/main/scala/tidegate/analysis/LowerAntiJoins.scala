package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Alias, IsNull, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.{LeftAnti, LeftOuter}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.operators.StreamJoin
import tidegate.plans.KeyedWatermark

/**
 * Makes a left anti join of streams a left outer join whose rows without a partner are kept: Spark
 * has no left anti join of streams. For the plan of a query that is about to start, because until
 * then bounds may be added to the condition.
 */
object LowerAntiJoins extends AtStart {

  override protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    if (!query.exists(_.isInstanceOf[KeyedWatermark])) query
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        query.transformUp { case StreamJoin(j) if j.joinType == LeftAnti => lowered(j) }
      }

  /** The column that tells a partner from none. */
  private val Partner = "partner"

  /** Whether a left outer join was a left anti join. */
  def isLowered(join: Join): Boolean = join.joinType == LeftOuter && (join.right match {
    case Project(columns, _) =>
      columns.lastOption.exists {
        case Alias(Literal(true, _), Partner) => true
        case _                                => false
      }
    case _ => false
  })

  private def lowered(join: Join): LogicalPlan = {
    val partner = Alias(Literal(true), Partner)()
    val outer = join.copy(
      right = Project(join.right.output :+ partner, join.right),
      joinType = LeftOuter
    )
    // Not as the projection has the column: a row without a partner has NULL there.
    val found = partner.toAttribute.withNullability(true)
    Project(join.left.output, Filter(IsNull(found), outer))
  }
}
