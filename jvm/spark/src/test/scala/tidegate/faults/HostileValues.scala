package tidegate
package faults

import scala.util.Random

/** What nobody should send, and what somebody will. */
object HostileValues {

  /** Texts, and names of columns. */
  val texts: Seq[String] = Seq(
    "",
    " ",
    "a.b",
    "a`b",
    "`",
    "'",
    "\"",
    "\\",
    "sel ect",
    "SELECT",
    "window",
    "ü",
    "\ud83d\ude00",
    "\u202e",
    "\u0000",
    "\n",
    "a,b",
    "f(x)",
    "*",
    "?",
    ":p",
    "${x}",
    "/* */",
    "--",
    "'; DROP VIEW orders; --",
    ") UNION SELECT * FROM orders --",
    "x" * 5000
  )

  val durations: Seq[String] = Seq(
    "",
    " ",
    "0 seconds",
    "5 seconds",
    "-5 seconds",
    "1 microsecond",
    "1 month",
    "-1 year",
    "1 day 2 hours",
    "interval 5 seconds",
    "INTERVAL '5' SECOND",
    "106751991 days",
    "-106751991 days",
    "106751992 days",
    "9223372036854775807 microseconds",
    "9223372036854775 milliseconds",
    "-9223372036854775808 microseconds",
    "9223372036854775808 seconds",
    "2147483648 days",
    "0.0000001 seconds",
    "1e9 seconds",
    "5",
    "seconds",
    "5 parsecs",
    "5 seconds; DROP VIEW orders",
    "NaN seconds",
    "9" * 400 + " seconds",
    "5 seconds " * 500,
    "\u0665 seconds",
    "5\u0000seconds"
  )

  /** In µs. */
  val times: Seq[Long] = {
    val edges = Seq(Long.MinValue, Long.MaxValue, 0L, Long.MinValue / 1000, Long.MaxValue / 1000)
    // The first and the last times of a DataFrame's text, and of Python.
    val others = Seq(-62135596800000000L, 253402300799999999L, -210866803200000000L)
    for (edge <- edges ++ others; step <- Seq(-1000000L, -1L, 0L, 1L, 1000000L)) yield edge + step
  }

  /** Of any size. */
  def time(random: Random): Long =
    if (random.nextInt(3) == 0) one(times, random) else random.nextLong() >> random.nextInt(64)

  def one[T](values: Seq[T], random: Random): T = values(random.nextInt(values.size))

  /** The name of a column, as methods of a DataFrame read it. */
  def quoted(name: String): String = s"`${name.replace("`", "``")}`"
}
