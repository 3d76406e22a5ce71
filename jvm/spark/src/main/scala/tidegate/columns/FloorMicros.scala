package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}
import tidegate.core.window.FrameGrid

/**
 * The last multiple of `step`, counted from `offset`, that is not after a time; all in µs. It holds
 * for every TIMESTAMP, where a remainder of a difference would overflow.
 */
private[tidegate] final case class FloorMicros(child: Expression, step: Long, offset: Long)
    extends UnaryExpression {

  override def dataType: DataType = LongType

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(micros: Any): Any =
    FrameGrid.frameOf(micros.asInstanceOf[Long], step, offset)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val module = FrameGrid.getClass.getName
    defineCodeGen(ctx, ev, micros => s"$module.MODULE$$.frameOf($micros, ${step}L, ${offset}L)")
  }

  override protected def withNewChildInternal(newChild: Expression): FloorMicros =
    copy(child = newChild)
}
