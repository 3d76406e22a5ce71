package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.types.StructType

/**
 * Calls a function of Scala with each row; the result has `CallColumns` behind its own columns. For
 * a function of Python, Spark's `MapInArrow` is in its place.
 *
 * @param result
 *   the columns that the function has to return
 * @param input
 *   the columns of the row that the function gets
 */
final case class AsyncMap(
    function: AsyncFunction,
    options: CallOptions,
    result: StructType,
    input: Seq[Attribute],
    output: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {

  override def producedAttributes: AttributeSet = AttributeSet(output)

  @transient override lazy val references: AttributeSet = AttributeSet(input)

  override protected def stringArgs: Iterator[Any] = Iterator(options.function, output)

  override protected def withNewChildInternal(newChild: LogicalPlan): AsyncMap =
    copy(child = newChild)
}
