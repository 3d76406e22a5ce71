package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  Expression,
  Literal,
  PreciseTimestampConversion
}
import org.apache.spark.sql.types.LongType

/** Arithmetic on the times of windows: times are in µs, lengths in ms. */
private[tidegate] object WindowTimes {
  val MicrosPerMs = 1000L

  /** The column of another role, from the end or the start of its window. */
  def shifted(column: Expression, byMs: Long): Expression =
    PreciseTimestampConversion(plus(micros(column), byMs), LongType, column.dataType)

  def micros(time: Expression): Expression =
    PreciseTimestampConversion(time, time.dataType, LongType)

  def plus(micros: Expression, ms: Long): Expression = Add(micros, literal(ms))

  def literal(ms: Long): Literal = Literal(Math.multiplyExact(ms, MicrosPerMs))
}
