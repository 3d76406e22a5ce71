package tidegate.core.figures

import java.time.Instant
import java.util.Locale

/** How sentences write times, durations and numbers. */
private[tidegate] object Words {

  /** The two largest units of a duration in ms, ms only below a second: `9 min 55 s`, `250 ms`. */
  def duration(ms: Long): String =
    // Below the second unit nothing is said: 2 h 0 min, not 2 h 3 s.
    // Nobody looks at the ms of a second.
    if (ms <= 0) "0 s"
    else {
      val rounded = if (ms < 1000) ms else ms - ms % 1000
      joined(parts(rounded).dropWhile(_._1 == 0).take(2))
    }

  /** All units of a duration in ms. */
  def exactly(ms: Long): String = joined(parts(ms))

  private def parts(ms: Long): Seq[(Long, String)] = Units
    .foldLeft((math.max(0L, ms), Vector.empty[(Long, String)])) {
      case ((rest, found), (size, unit)) => (rest % size, found :+ (rest / size -> unit))
    }
    ._2

  private def joined(parts: Seq[(Long, String)]): String = {
    val shown = parts.filter(_._1 > 0)
    if (shown.isEmpty) "0 ms" else shown.map { case (n, unit) => s"$n $unit" }.mkString(" ")
  }

  /** A moment in UTC, to the second. */
  def time(ms: Long): String = Instant.ofEpochSecond(Math.floorDiv(ms, 1000L)).toString

  /** A number with its noun: `1 row`, `12,000 rows`. */
  def count(n: Long, noun: String): String =
    number(n) + " " + noun + (if (n == 1) "" else "s")

  def number(n: Long): String = String.format(Locale.ROOT, "%,d", Long.box(n))

  /** The names in a list, and how many more there are. */
  def names(some: Seq[String], all: Long): String = {
    val more = all - some.size
    some.map(n => s"`$n`").mkString(", ") + (if (more > 0) s" and ${number(more)} more" else "")
  }

  private val Units = Seq(
    86400000L -> "d",
    3600000L -> "h",
    60000L -> "min",
    1000L -> "s",
    1L -> "ms"
  )
}
