package tidegate.columns

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, PreciseTimestampConversion}
import org.apache.spark.sql.types.LongType

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
