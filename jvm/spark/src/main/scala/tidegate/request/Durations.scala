package tidegate.request

import java.time.Duration
import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import tidegate.errors.{NearName, PolicyErrors}

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

  /** Whether a text is an interval with months or years, which have no fixed length. */
  def hasMonths(text: String): Boolean = interval(text).exists(_.months != 0)

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

/** Texts that say a duration in another spelling than Spark's: `5s`, `10min`, `1h30`, `PT5M`. */
private[tidegate] object DurationSpelling {

  /** Longer texts are no durations, whatever they begin with. */
  private val MostChars = 40

  /** How many letters a misspelt unit may differ from its name. */
  private val MostTypos = 2

  private val Part = "(\\d{1,9}(?:\\.\\d{1,3})?)\\s*([a-zA-Z]*)[\\s,]*".r

  private val Clock = "(\\d{1,4}):(\\d{2}):(\\d{2})".r

  private final case class Unit(name: String, ms: Long, spellings: String*)

  private val Seconds = Unit("second", 1000L, "s", "sec", "secs", "second", "seconds")

  /** From the longest to the shortest. */
  private val units = Seq(
    Unit("week", 7 * 24 * 3600000L, "w", "wk", "wks", "week", "weeks"),
    Unit("day", 24 * 3600000L, "d", "day", "days"),
    Unit("hour", 3600000L, "h", "hr", "hrs", "hour", "hours"),
    Unit("minute", 60000L, "m", "min", "mins", "minute", "minutes"),
    Seconds,
    Unit("millisecond", 1L, "ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds")
  )

  /** The duration in Spark's spelling; `None` if the text means nothing that is known. */
  def of(text: String): Option[String] = {
    val plain = Option(text).fold("")(_.trim)
    if (plain.length > MostChars) None
    else
      plain match {
        case Clock(hours, minutes, seconds) =>
          fromMs(
            Duration.ofHours(hours.toLong).plusMinutes(minutes.toLong).plusSeconds(seconds.toLong)
          )
        case iso if iso.matches("(?i)P.*\\d.*") => Try(Duration.parse(iso)).toOption.flatMap(fromMs)
        case _                                  => ofParts(plain)
      }
  }

  private def ofParts(text: String): Option[String] = {
    val parts = Part.findAllMatchIn(text).toSeq
    val isOneWord = !text.exists(_.isWhitespace)
    val isWhole = parts.nonEmpty && parts.map(_.matched).mkString == text
    val read = parts.foldLeft(Seq.empty[Option[(BigDecimal, Unit)]]) { (earlier, part) =>
      val unit = part.group(2) match {
        // `1h30` are 30 minutes, and `5` are 5 seconds.
        case "" =>
          if (earlier.isEmpty) Some(Seconds)
          else earlier.last.flatMap(p => below(p._2)).filter(_ => isOneWord)
        case word => unitOf(word)
      }
      earlier :+ unit.map(BigDecimal(part.group(1)) -> _)
    }
    val known = read.flatten
    val lengths = known.map(_._2.ms)
    val isDescending = lengths.zip(lengths.drop(1)).forall { case (a, b) => a > b }
    if (!isWhole || known.size < read.size || !isDescending) None
    else {
      // Spark reads a fraction of seconds alone.
      if (known.forall { case (number, unit) => number.isWhole || unit == Seconds })
        Some(known.map { case (number, unit) => words(number, unit) }.mkString(" "))
      else {
        val ms = known.map { case (number, unit) => number * unit.ms }.sum
        if (ms.isWhole) fromMs(Duration.ofMillis(ms.toLong)) else None
      }
    }
  }

  private def below(unit: Unit): Option[Unit] =
    Option(unit).filter(_.ms > Seconds.ms).flatMap(u => units.lift(units.indexOf(u) + 1))

  private def unitOf(word: String): Option[Unit] = {
    val lower = word.toLowerCase(Locale.ROOT)
    units
      .find(_.spellings.contains(lower))
      .orElse(units.find(unit => isNear(lower, s"${unit.name}s")))
  }

  private def isNear(word: String, name: String): Boolean =
    NearName.distance(word, name) <= MostTypos && word.length > 2 * MostTypos

  private def fromMs(duration: Duration): Option[String] =
    Try(duration.toMillis).toOption.filter(_ > 0).map { total =>
      // Weeks would be right, but days are usual.
      val (_, parts) = units.tail.foldLeft((total, Seq.empty[String])) {
        case ((rest, found), unit) if rest >= unit.ms =>
          (rest % unit.ms, found :+ words(BigDecimal(rest / unit.ms), unit))
        case (same, _) => same
      }
      parts.mkString(" ")
    }

  private def words(number: BigDecimal, unit: Unit): String =
    s"$number ${unit.name}${if (number == 1) "" else "s"}"
}
