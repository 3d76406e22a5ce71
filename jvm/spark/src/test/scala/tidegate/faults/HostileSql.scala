package tidegate
package faults

import scala.util.Random

/** Queries that call functions of time with arguments of any kind and number. */
final class HostileSql(random: Random) {
  import HostileSql._
  import HostileValues._

  def query(): String = if (random.nextBoolean()) anyQuery() else changedQuery()

  /** A query that is right but for one argument, so that all checks but one let it pass. */
  private def changedQuery(): String = {
    val whole = one(valid, random)
    val places = Part.findAllMatchIn(whole).toSeq
    val place = one(places, random)
    val other = if (random.nextBoolean()) duration() else value(1)
    whole.take(place.start) + other + whole.drop(place.end)
  }

  private def anyQuery(): String = {
    val from = if (random.nextInt(4) == 0) s"TABLE(${call(2)})" else call(2)
    val selected = pick(
      "*",
      "count(*)",
      "window_start, count(*)",
      s"current_watermark(${value(1)})",
      s"is_late(${value(1)})",
      s"is_late(time), current_watermark(${text()})"
    )
    val rest = pick(
      "",
      "",
      " AS t",
      " GROUP BY window_start",
      " GROUP BY window_start, window_end",
      s" WHERE is_late(${value(1)})",
      " WHERE time < current_watermark('w')"
    )
    s"SELECT $selected FROM $from$rest"
  }

  /** A call; its first arguments are often right, so that the others are looked at. */
  private def call(depth: Int): String = {
    val function = pick(functions: _*)
    val arguments =
      if (random.nextInt(3) == 0) Seq.fill(random.nextInt(6))(argument(depth))
      else {
        val usual = Seq(table(depth), "DESCRIPTOR(time)") ++ Seq.fill(random.nextInt(4))(duration())
        usual.map(a => if (random.nextInt(6) == 0) argument(depth) else a) ++
          Seq.fill(random.nextInt(2))(argument(depth))
      }
    // Spark has no error for a lambda in a call of a table function that it does not know.
    val known =
      if (function.contains("_") && function.head.isLower) arguments.filterNot(_.contains("->"))
      else arguments
    s"$function(${known.mkString(", ")})"
  }

  private def argument(depth: Int): String =
    if (random.nextInt(3) == 0) s"${pick(names: _*)} => ${value(depth)}" else value(depth)

  private def table(depth: Int): String = pick(
    "orders",
    "keyed",
    "TABLE(orders)",
    "TABLE keyed",
    "batch",
    "TABLE(SELECT * FROM batch)",
    "TABLE(keyed) PARTITION BY sub",
    if (depth > 0) call(depth - 1) else "orders"
  )

  private def value(depth: Int): String = random.nextInt(16) match {
    case 0     => "NULL"
    case 1     => table(depth)
    case 2 | 3 => duration()
    case 4     => text()
    case 5     => identifier()
    case 6     => s"DESCRIPTOR(${Seq.fill(random.nextInt(3))(identifier()).mkString(", ")})"
    case 7     => s"DESCRIPTOR(${text()})"
    case 8     => "(SELECT max(id) FROM batch)"
    case 9     => "x -> x + 1"
    case 10 => s"${pick(policies: _*)}(${Seq.fill(random.nextInt(4))(duration()).mkString(", ")})"
    case 11 => pick("*", "0", "-1", "127", "128", "1e400D", "0.5", "true", "X'00'", "?", ":p")
    case 12 => s"array(${elements()})"
    case 13 => s"(${value(0)})"
    case 14 => pick("map(1, 2)", "struct(1)", "rand()", "current_timestamp()", "count(*)", "1/0")
    case _ if depth > 0 => call(depth - 1)
    case _              => "DESCRIPTOR(time)"
  }

  /** Without a lambda, which Spark refuses only if all other elements are columns that exist. */
  private def elements(): String =
    Seq(value(0), value(0)).filterNot(_.contains("->")).mkString(", ")

  private def duration(): String = random.nextInt(4) match {
    case 0 =>
      one(Seq("5 seconds", "INTERVAL 5 SECONDS", "INTERVAL '10' SECOND", "15 seconds"), random)
    case 1 => s"'${escaped(one(durations, random))}'"
    case 2 => s"INTERVAL '${escaped(one(durations, random))}'"
    case _ => pick(sqlDurations: _*)
  }

  private def text(): String = s"'${escaped(one(texts, random))}'"

  private def identifier(): String =
    if (random.nextBoolean()) pick("time", "sub", "n", "keyed.time", "`a.b`", "`a``b`", "id")
    else quoted(one(texts, random))

  private def pick(values: String*): String = one(values, random)
}

object HostileSql {

  private val Part =
    "INTERVAL '5' SECOND|'?\\b\\d+ (seconds?|minute)\\b'?|DESCRIPTOR\\(\\w+\\)|TABLE\\(\\w+\\)|\\d+|'w'".r

  private def escaped(text: String): String = text.replace("\\", "\\\\").replace("'", "\\'")

  private val functions = Seq("IMPOSE_ORDER", "TUMBLE", "HOP", "CUMULATE", "SESSION") ++
    Seq("ORDER_BY_TIME", "BOUND_JOIN", "tumble", "`HOP`", "current_watermark", "is_late")

  private val names =
    Seq("data", "input", "timecol", "time_col", "size", "slide", "offset", "gap") ++
      Seq("lag", "key", "policy", "substream", "idle_timeout", "emission", "name", "flush") ++
      Seq("max_future_skew", "idle_behind", "partition_by", "step", "max_size", "`a b`", "nothing")

  private val policies = Seq("fixedLag", "limitingLagAndDelay", "limitingLagAndLull", "byFrame") ++
    Seq("byMinStep", "limitingTimestampAndWallClockLag", "ingestionTime", "upper")

  private val sqlDurations = Seq(
    "0 seconds",
    "-5 seconds",
    "1 microsecond",
    "INTERVAL 1 MONTH",
    "INTERVAL '1-2' YEAR TO MONTH",
    "INTERVAL -5 SECONDS",
    "INTERVAL 106751991 DAYS",
    "INTERVAL 2147483647 DAYS",
    "INTERVAL 9223372036854775807 MICROSECONDS",
    "INTERVAL '5' SECOND + INTERVAL '1' DAY",
    "INTERVAL '5' SECOND * 9223372036854775807",
    "INTERVAL id SECONDS",
    "CAST(NULL AS INTERVAL DAY TO SECOND)",
    "make_interval(1, 2)",
    "make_dt_interval(106751991, 23, 59, 59)",
    "5",
    "9223372036854775808 seconds",
    "5 seconds 5 seconds",
    "seconds"
  )

  /** What is right, to be made wrong. */
  private[tidegate] val valid = Seq(
    "SELECT window_start, count(*) FROM TUMBLE(TABLE(keyed), DESCRIPTOR(time), INTERVAL '5' SECOND)" +
      " GROUP BY window_start, window_end",
    "SELECT * FROM HOP(TABLE batch, DESCRIPTOR(time), size => 10 seconds, slide => 5 seconds) AS t",
    "SELECT * FROM CUMULATE(batch, DESCRIPTOR(time), '5 seconds', '10 seconds', 1 second)",
    "SELECT window_start, sub, count(*) FROM SESSION(TABLE(keyed) PARTITION BY sub," +
      " DESCRIPTOR(time), 5 seconds) GROUP BY window_start, window_end, sub",
    "SELECT * FROM TABLE(IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), 5 seconds, key => 3," +
      " substream => DESCRIPTOR(sub), idle_timeout => INTERVAL 1 MINUTE, name => 'o'))",
    "SELECT * FROM IMPOSE_ORDER(orders, DESCRIPTOR(time)," +
      " policy => limitingLagAndLull(5 seconds, 1 minute), emission => byFrame(1 second))",
    "SELECT * FROM ORDER_BY_TIME(TABLE(keyed) PARTITION BY sub, DESCRIPTOR(time))",
    "SELECT n, is_late(time), current_watermark('w') FROM keyed -- a comment"
  )

  // Without a colon and a lambda, for which Spark itself has internal errors.
  private[tidegate] val tokens =
    Seq("(", ")", ",", "=>", "'", "`", "\"", ";", "DESCRIPTOR", "TABLE") ++
      Seq(
        "PARTITION",
        "BY",
        "NULL",
        "*",
        "-",
        "5",
        "seconds",
        "--",
        "/*",
        "*/",
        "\\",
        "$",
        "\u0000"
      ) ++
      Seq("SELECT", "INTERVAL", ".", "[", "{", "?", "TUMBLE(", "<", "AS", "ü")
}
