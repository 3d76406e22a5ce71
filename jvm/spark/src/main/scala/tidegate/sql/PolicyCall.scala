package tidegate.sql

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{DataType, NullType}

/** `fixed_lag(5 seconds)` as an argument; it is not a function of Spark. */
private[tidegate] final case class PolicyCall(name: String, children: Seq[Expression])
    extends Expression
    with Unevaluable {
  override def nullable: Boolean = false
  override def dataType: DataType = NullType
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): PolicyCall =
    copy(children = newChildren)
}
