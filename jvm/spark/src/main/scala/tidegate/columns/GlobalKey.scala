package tidegate.columns

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.{BooleanType, DataType}

/** The single key of a state without keys; not foldable, because Spark would remove it then. */
final case class GlobalKey() extends LeafExpression {
  override def nullable: Boolean = false
  override def foldable: Boolean = false
  override def dataType: DataType = BooleanType
  override def eval(input: InternalRow): Any = true
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    ev.copy(code = EmptyBlock, isNull = FalseLiteral, value = JavaCode.literal("true", BooleanType))
}
