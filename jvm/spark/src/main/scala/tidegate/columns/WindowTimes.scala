package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Literal,
  PreciseTimestampConversion,
  UnaryExpression
}
import org.apache.spark.sql.types.{DataType, LongType}
import tidegate.core.EndOfTime
import tidegate.core.window.FrameGrid

/** Arithmetic on the times of windows: times are in µs, lengths in ms. It never overflows. */
private[tidegate] object WindowTimes {
  val MicrosPerMs = 1000L

  /** The column of another role, from the end or the start of its window. */
  def shifted(column: Expression, byMs: Long): Expression =
    PreciseTimestampConversion(plus(micros(column), byMs), LongType, column.dataType)

  def micros(time: Expression): Expression =
    PreciseTimestampConversion(time, time.dataType, LongType)

  def plus(micros: Expression, ms: Long): Expression = PlusMicros(micros, ofMs(ms))

  /** The last multiple of `stepMs`, counted from the offset, that is not after `micros`. */
  def floor(micros: Expression, stepMs: Long, offsetMs: Long): Expression =
    FloorMicros(micros, ofMs(stepMs), ofMs(offsetMs))

  def literal(ms: Long): Literal = Literal(ofMs(ms))

  private def ofMs(ms: Long): Long = Math.multiplyExact(ms, MicrosPerMs)
}

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
