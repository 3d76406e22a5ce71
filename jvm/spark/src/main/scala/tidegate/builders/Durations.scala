package tidegate.builders

import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import tidegate.errors.PolicyErrors

/** Reads the durations of the public interface: Spark interval texts of whole milliseconds. */
private[tidegate] object Durations {
  private val MicrosPerMs = 1000L

  /**
   * The milliseconds of `text`, for example 5000 for `"5 seconds"`.
   *
   * @param argument
   *   the name of the argument, for the error
   * @param smallestMs
   *   the smallest allowed value, in ms
   * @throws AnalysisException
   *   if the text is not a duration in whole ms, or is too small
   */
  def parseMs(argument: String, text: String, smallestMs: Long): Long = {
    val interval =
      try IntervalUtils.stringToInterval(UTF8String.fromString(text))
      catch {
        case _: IllegalArgumentException => throw PolicyErrors.invalidDuration(argument, text)
      }
    val micros =
      if (interval == null || interval.months != 0) None
      else exactMicros(interval)
    val ms = micros.filter(_ % MicrosPerMs == 0).map(_ / MicrosPerMs).getOrElse {
      throw PolicyErrors.invalidDuration(argument, text)
    }
    if (ms < smallestMs) {
      throw PolicyErrors.durationTooSmall(argument, text, s"$smallestMs ms")
    }
    ms
  }

  private def exactMicros(interval: CalendarInterval): Option[Long] =
    try {
      val days = Math.multiplyExact(interval.days.toLong, 24L * 3600 * 1000 * MicrosPerMs)
      Some(Math.addExact(days, interval.microseconds))
    } catch { case _: ArithmeticException => None }
}
