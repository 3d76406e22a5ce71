package tidegate.builders

import org.apache.spark.sql.AnalysisException
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
    val ms = exactMs(text).getOrElse(throw invalid(argument, text))
    if (ms < smallestMs) {
      throw PolicyErrors.durationTooSmall(argument, text, s"$smallestMs ms")
    }
    ms
  }

  /** The error for what is no duration; `found` may be a duration in another spelling. */
  def invalid(argument: String, found: String): AnalysisException =
    DurationSpelling.of(found).filter(exactMs(_).isDefined) match {
      case Some(near) => PolicyErrors.durationSpelling(argument, found, near)
      case None       => PolicyErrors.invalidDuration(argument, found)
    }

  /** Whether a text is no duration, but one in another spelling. */
  def isMisspelt(text: String): Boolean =
    exactMs(text).isEmpty && DurationSpelling.of(text).exists(exactMs(_).isDefined)

  private def exactMs(text: String): Option[Long] = for {
    interval <- interval(text)
    if interval.months == 0
    micros <- exactMicros(interval)
    if micros % MicrosPerMs == 0
  } yield micros / MicrosPerMs

  private def interval(text: String): Option[CalendarInterval] =
    try Option(IntervalUtils.stringToInterval(UTF8String.fromString(text)))
    catch { case _: IllegalArgumentException => None }

  private def exactMicros(interval: CalendarInterval): Option[Long] =
    try {
      val days = Math.multiplyExact(interval.days.toLong, 24L * 3600 * 1000 * MicrosPerMs)
      Some(Math.addExact(days, interval.microseconds))
    } catch { case _: ArithmeticException => None }
}
