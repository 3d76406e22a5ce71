package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}
import tidegate.core.EndOfTime

/**
 * A time in µs, moved by a constant. It stops at the ends of TIMESTAMP, where a sum would overflow
 * and end the query for one row.
 */
private[tidegate] final case class PlusMicros(child: Expression, by: Long) extends UnaryExpression {

  override def dataType: DataType = LongType

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(micros: Any): Any =
    EndOfTime.plus(micros.asInstanceOf[Long], by)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val module = EndOfTime.getClass.getName
    defineCodeGen(ctx, ev, micros => s"$module.MODULE$$.plus($micros, ${by}L)")
  }

  override protected def withNewChildInternal(newChild: Expression): PlusMicros =
    copy(child = newChild)
}
