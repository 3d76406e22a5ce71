package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import tidegate.columns.EventTimeTag

/**
 * A table in SQL with `FOR SYSTEM_TIME AS OF <column>` behind it: the right side of an as-of join,
 * until the join is resolved.
 *
 * The times of its rows are no event times of the join.
 *
 * @param time
 *   the parts of the name of the column; none for `PROCTIME()`
 */
private[tidegate] final case class AsOfTable(time: Option[Seq[String]], child: LogicalPlan)
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output.map(AsOfTable.withoutTime)

  override protected def withNewChildInternal(newChild: LogicalPlan): AsOfTable =
    copy(child = newChild)
}

private[tidegate] object AsOfTable {

  /** A column of the right side, without the mark of an event time. */
  def withoutTime(a: Attribute): Attribute =
    if (EventTimeTag.isOurs(a.metadata) || EventTimeTag.hasSparkTag(a))
      a.withMetadata(EventTimeTag.unmarked(a.metadata))
    else a
}
