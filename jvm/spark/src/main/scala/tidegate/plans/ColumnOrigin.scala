package tidegate.plans

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/** Where a column comes from. */
private[tidegate] object ColumnOrigin {

  /** Whatever its format was called. */
  def isKafka(relation: StreamingRelationV2): Boolean = relation.table.name == "KafkaTable"

  /**
   * The relation that a column of a plan is a column of, passed on as it is, and its name there.
   * `None` if it is computed, or has more than one origin.
   */
  @tailrec
  def of(plan: LogicalPlan, column: Attribute): Option[(LogicalPlan, Attribute)] = plan match {
    case leaf: LeafNode    => leaf.output.find(_.exprId == column.exprId).map(leaf -> _)
    case k: KeyedWatermark => of(k.left, column)
    case p: Project        =>
      p.projectList.find(_.exprId == column.exprId) match {
        case Some(a: Attribute)           => of(p.child, a)
        case Some(Alias(a: Attribute, _)) => of(p.child, a)
        case _                            => None
      }
    case u: UnaryNode => of(u.child, column)
    case _            => None
  }
}
