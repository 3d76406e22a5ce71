package tidegate.plans

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/**
 * Where a column of a plan comes from.
 *
 * @param node
 *   the node that makes the column: all nodes above pass it on unchanged, though perhaps under
 *   another name
 * @param column
 *   the column as it is called there
 * @param computedBy
 *   its expression over the input of `node`; `None` if the node is no projection, such as a
 *   relation, a generator, an aggregation or a union
 */
private[tidegate] final case class ColumnOrigin(
    node: LogicalPlan,
    column: Attribute,
    computedBy: Option[Expression]
) {

  /** The input of the node. */
  def input: LogicalPlan = node.children.head
}

private[tidegate] object ColumnOrigin {

  /** A node further down, with the column as it is called there. */
  type Step = (LogicalPlan, Attribute)

  /** Goes down to where a column is made, and stops at a union, whose branches may differ. */
  @tailrec
  def of(plan: LogicalPlan, column: Attribute): ColumnOrigin = below(plan, column) match {
    case Some((child, source)) => of(child, source)
    case None                  => ColumnOrigin(plan, column, definition(plan, column))
  }

  /**
   * As `of`, but continues in the first branch of a union, from which the union takes its columns.
   */
  @tailrec
  def inFirstBranch(plan: LogicalPlan, column: Attribute): ColumnOrigin = of(plan, column) match {
    case ColumnOrigin(u: Union, own, _) => inFirstBranch(u.children.head, own)
    case origin                         => origin
  }

  /**
   * The column of each branch of the unions that a column goes through, also of unions within
   * unions; the column itself if there are none. Of a stream, the branches that are streams.
   */
  def branches(plan: LogicalPlan, column: Attribute): Seq[Step] = of(plan, column) match {
    case ColumnOrigin(u: Union, own, _) if u.outputSet.contains(own) =>
      val i = u.output.indexWhere(_.exprId == own.exprId)
      u.children
        .filter(_.isStreaming == u.isStreaming)
        .flatMap(branch => branches(branch, branch.output(i)))
    case _ => Seq(plan -> column)
  }

  /** The relation that a column comes from, and the column as it is called there. */
  def relation(plan: LogicalPlan, column: Attribute): Option[(LogicalPlan, Attribute)] =
    of(plan, column) match {
      case ColumnOrigin(leaf: LeafNode, own, _) =>
        leaf.output.find(_.exprId == own.exprId).map(leaf -> _)
      case _ => None
    }

  /**
   * One step down, through a node that passes a column on. The column need not be in the output of
   * the node: a projection may have left it out.
   */
  def below(plan: LogicalPlan, column: Attribute): Option[Step] = plan match {
    case _: Union               => None
    case _: Project | _: Expand =>
      definition(plan, column) match {
        case None                    => Some(plan.children.head -> column)
        case Some(source: Attribute) => Some(plan.children.head -> source)
        case _                       => None
      }
    case a: Aggregate =>
      // A grouping column under another name.
      val source = a.aggregateExpressions.collectFirst {
        case alias @ Alias(key: Attribute, _) if alias.exprId == column.exprId => key
      }
      Some(a.child -> source.getOrElse(column))
    // The function makes all columns.
    case _: AsyncCalls   => None
    case a: AppendedRows => Some(a.rows -> column)
    case u: UnaryNode    => Some(u.child -> column)
    case other           => other.children.find(_.outputSet.contains(column)).map(_ -> column)
  }

  /** The expression that a projection has for a column. */
  private def definition(plan: LogicalPlan, column: Attribute): Option[Expression] = plan match {
    case p: Project => p.projectList.find(_.exprId == column.exprId).map(withoutName)
    case e: Expand  =>
      val i = e.output.indexWhere(_.exprId == column.exprId)
      e.projections.headOption.flatMap(_.lift(i)).map(withoutName)
    case _ => None
  }

  private def withoutName(e: Expression): Expression = e match {
    case Alias(child, _) => child
    case other           => other
  }

  /** Whether a relation reads Kafka, whatever name was used for the format. */
  def isKafka(relation: StreamingRelationV2): Boolean = relation.table.name == "KafkaTable"
}
