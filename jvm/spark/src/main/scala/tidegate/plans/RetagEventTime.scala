package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Passes rows through, with other metadata on some columns.
 *
 * Spark allows one tagged column under a stateful operator: this node takes the tag off the others
 * below it, and gives it back above it.
 *
 * @param columns
 *   the columns that change, with the metadata that they get
 */
final case class RetagEventTime(columns: Seq[Attribute], child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = RetagEventTime.retag(child.output, columns)

  /** None: the node must not keep a column alive that nothing else needs. */
  @transient override lazy val references: AttributeSet = AttributeSet.empty

  override protected def withNewChildInternal(newChild: LogicalPlan): RetagEventTime =
    copy(child = newChild)
}

object RetagEventTime {
  def retag(output: Seq[Attribute], columns: Seq[Attribute]): Seq[Attribute] =
    output.map(a => columns.find(_.exprId == a.exprId).fold(a)(c => a.withMetadata(c.metadata)))
}
