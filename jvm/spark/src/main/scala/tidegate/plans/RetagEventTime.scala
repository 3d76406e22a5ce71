package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.types.Metadata

/**
 * Passes rows through, with other metadata on some columns.
 *
 * Spark allows one tagged column under a stateful operator: this node removes the tag from the
 * other columns below the operator, and restores it above.
 *
 * @param columns
 *   the columns that change
 * @param metadata
 *   what each column gets; kept apart from the columns, because the optimizer replaces the metadata
 *   of attributes with their child's when it removes an alias
 */
final case class RetagEventTime(
    columns: Seq[Attribute],
    metadata: Seq[Metadata],
    child: LogicalPlan
) extends UnaryNode {

  override def output: Seq[Attribute] = RetagEventTime.retag(child.output, columns, metadata)

  /** Empty: the node must not keep a column alive that nothing else needs. */
  @transient override lazy val references: AttributeSet = AttributeSet.empty

  override protected def stringArgs: Iterator[Any] = Iterator(columns)

  override protected def withNewChildInternal(newChild: LogicalPlan): RetagEventTime =
    copy(child = newChild)
}

object RetagEventTime {

  /** A node that gives the columns of its child the metadata that `columns` has. */
  def as(columns: Seq[Attribute], child: LogicalPlan): RetagEventTime =
    RetagEventTime(columns, columns.map(_.metadata), child)

  def retag(
      output: Seq[Attribute],
      columns: Seq[Attribute],
      metadata: Seq[Metadata]
  ): Seq[Attribute] =
    output.map { a =>
      columns.indexWhere(_.exprId == a.exprId) match {
        case -1 => a
        case i  => a.withMetadata(metadata(i))
      }
    }
}
