package tidegate
package sql

import java.time.{LocalDate, ZoneId}

import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Days and months of a time zone: sessions that end with them. */
class CalendarWindowsSuite extends RestartTest {

  private val Zone = "Europe/Berlin"

  /** The second in which a day begins in the zone. */
  private def dawn(day: String): Double =
    LocalDate.parse(day).atStartOfDay(ZoneId.of(Zone)).toEpochSecond.toDouble

  private def text(unit: String): String =
    s"""SELECT sub, session_window.end AS ended, sum(n) AS s FROM events
      GROUP BY sub, date_trunc('$unit', time), session_window(time, concat(
        unix_micros(date_trunc('$unit', time) + INTERVAL 1 $unit) - unix_micros(time),
        ' microseconds'))"""

  private def result(frame: DataFrame, unit: String): DataFrame = {
    frame.createOrReplaceTempView("events")
    spark.sql(text(unit))
  }

  private def batch(frame: DataFrame, unit: String): Seq[String] = {
    frame.createOrReplaceTempView("events")
    spark
      .sql(s"""SELECT sub, date_trunc('$unit', time) + INTERVAL 1 $unit, sum(n) FROM events
        GROUP BY sub, date_trunc('$unit', time) + INTERVAL 1 $unit""")
      .collect()
      .toSeq
      .map(KeyedStreamTest.text)
      .filterNot(_.startsWith("last"))
      .sorted
  }

  test(
    "days, also those of 23 and 25 hours: each leaves at local midnight, as in batch, over kills"
  ) {
    val last = 1e-6
    for (day <- Seq("2026-03-29", "2026-10-25")) {
      val (begin, end) = (dawn(day), dawn(LocalDate.parse(day).plusDays(1).toString))
      val folder = files(
        Seq(event("a", begin - 1, 1), event("b", begin, 2), event("a", begin + 3600, 4)),
        Seq(event("a", end - 0.001, 8), event("b", end - 3600, 16)),
        Seq(event("a", end, 32), event("a", end + 2, 64)),
        Seq(event("last", end + 200000 + last, 1))
      )
      withConf("spark.sql.session.timeZone" -> Zone) {
        def frame = result(stream(folder).withKeyedWatermark("time", "2 seconds"), "DAY")
        val run = checkKills(frame)
        assert(run.rows.map(KeyedStreamTest.text).sorted === batch(table(folder), "DAY"))
        assert(run.lateRows === Map.empty)
        val ended = run.rowsByBatch.collectFirst { case (id, rows) if rows.size == 2 => id }
        assert(ended.exists(_ < run.rowsByBatch.keys.max), "when the watermark passes midnight")
      }
    }
  }

  test("months") {
    val folder = files(
      Seq(event("a", dawn("2026-02-01"), 1), event("a", dawn("2026-02-28"), 2)),
      Seq(event("a", dawn("2026-03-01"), 4), event("a", dawn("2026-03-31"), 8)),
      Seq(event("last", dawn("2026-05-01"), 1))
    )
    withConf("spark.sql.session.timeZone" -> Zone) {
      val run = new Run(
        result(stream(folder).withKeyedWatermark("time", "2 seconds"), "MONTH")
      ).start().settle()
      assert(run.answer === batch(table(folder), "MONTH"))
    }
  }

  private def error(from: String): String = intercept[AnalysisException] {
    table(files(Seq(event("a", 1, 1)))).createOrReplaceTempView("events")
    spark.sql(s"SELECT count(*) FROM $from")
  }.getMessage.linesIterator.next().replaceFirst(" SQLSTATE.*", "")

  private def way(unit: String) =
    s"group by date_trunc('$unit', time) and session_window(time, concat(unix_micros(" +
      s"date_trunc('$unit', time) + INTERVAL 1 $unit) - unix_micros(time), ' microseconds'))."

  test("windows of months are refused, with the way that there is") {
    def sentence(argument: String, function: String, found: String) =
      s"[TIDEGATE_WINDOW_OF_MONTHS] The argument `$argument` of $function is '$found', but a window " +
        "has a fixed length. For the months of a calendar, in output mode append, " + way("MONTH")
    assert(
      error("TUMBLE(events, DESCRIPTOR(time), INTERVAL '1' MONTH)") ===
        sentence("size", "TUMBLE", "1 months")
    )
    assert(
      error("CUMULATE(events, DESCRIPTOR(time), 1 day, INTERVAL '1' YEAR)") ===
        sentence("max_size", "CUMULATE", "1 years")
    )
    assert(
      error("events GROUP BY HOP(time, INTERVAL '1' DAY, INTERVAL '1' MONTH)") ===
        sentence("size", "HOP", "1 months")
    )
  }

  test("a time zone is refused, with the way that there is") {
    def sentence(found: String, time: String) =
      "[TIDEGATE_WINDOW_TIME_ZONE] The windows of TUMBLE begin in UTC and take no time zone, but " +
        s"$found was given. For the days of the session's time zone, in output mode append, " +
        way("DAY").replace("time)", s"$time)").replace("time,", s"$time,")
    assert(
      error(s"TUMBLE(events, DESCRIPTOR(time), INTERVAL '1' DAY, '$Zone')") ===
        sentence(s"'$Zone'", "time")
    )
    assert(
      error(s"TUMBLE(events, DESCRIPTOR(time), INTERVAL '1' DAY, time_zone => '$Zone')") ===
        sentence("the argument `time_zone`", "ts")
    )
  }
}
