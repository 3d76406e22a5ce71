package tidegate.planning

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

/**
 * A value that is the same for a whole batch. The generated code has a reference to it: with a
 * literal, Spark would compile the code again in every batch.
 */
private[tidegate] final case class BatchConstant(value: Option[Long], dataType: DataType)
    extends LeafExpression {

  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any = value.getOrElse(null)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val boxed = value.map(java.lang.Long.valueOf).orNull
    val reference = ctx.addReferenceObj("batchConstant", boxed, "java.lang.Long")
    ev.copy(code = code"""
      boolean ${ev.isNull} = $reference == null;
      long ${ev.value} = ${ev.isNull} ? -1L : $reference.longValue();
    """)
  }
}
