package tidegate
package operators

import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.columns.EventTimeTag
import tidegate.core.Scenarios
import tidegate.operators.JoinBounds

/** Which bounds are read from the condition of a join. */
class JoinBoundsSuite extends KeyedStreamTest {

  private def left: DataFrame = side(0, "l")
  private def right: DataFrame = side(1, "r")

  /** A stream with the time columns `l` and `l2`, the keys `key` and `key + 2`, and `l_plain`. */
  private def side(key: Int, name: String): DataFrame =
    events()
      .toDF()
      .select(
        col("time").as(name),
        col("time").as(s"${name}2"),
        col("time").as(s"${name}_plain"),
        col("n").as(s"key_$name")
      )
      .withKeyedWatermark(name, "1 second", key)
      .withKeyedWatermark(s"${name}2", "1 second", key + 2)

  private def bounds(condition: String): Seq[String] = bounds(left, right, expr(condition))

  /** As `l -> r: 10` for `r >= l - 10 seconds`: a watermark on l sets a limit for r. */
  private def bounds(left: DataFrame, right: DataFrame, condition: Column): Seq[String] =
    JoinBounds
      .of(join(left, right, condition))
      .map { b =>
        val seconds = BigDecimal(b.byMicros, 6).bigDecimal.stripTrailingZeros.toPlainString
        s"${b.setBy.name} -> ${b.limited.name}: $seconds"
      }
      .sorted

  private def equalWindows(left: DataFrame, right: DataFrame, condition: Column): Seq[String] =
    JoinBounds.equalWindows(join(left, right, condition)).map {
      case EqualTo(l: Attribute, r: Attribute) => s"${l.name} = ${r.name}"
      case EqualTo(window: Attribute, other)   => s"${window.name} by ${other.references.head.name}"
      case other                               => fail(s"no equality: $other")
    }

  private def join(left: DataFrame, right: DataFrame, condition: Column): Join =
    SparkInternals.analyzed(left.join(right, condition)).collectFirst { case j: Join => j }.get

  /** As the cases have it, on numbers; here on times. */
  private val onTimes = Map(
    "l - r < 10" -> "l - r < interval 10 seconds",
    "l = r" -> "l = r",
    "10 >= l - r" -> "interval 10 seconds >= l - r",
    "l + r >= 0" -> "l - timestamp '1970-01-01' >= timestamp '1970-01-01' - r"
  )

  for {
    scenario <- (Scenarios.load("join") \ "cases").children
    predicate <- (scenario \ "given" \ "predicate").toOption.map(Scenarios.text)
  } test(Scenarios.text(scenario \ "name")) {
    val postpone = (scenario \ "steps" \ "expect" \ "postpone").children.head
    val expected = for {
      (of, limits) <- Scenarios.fields(postpone)
      (limited, by) <- Scenarios.fields(limits)
    } yield s"$of -> $limited: ${Scenarios.time(by)}"
    assert(bounds(onTimes(predicate)) === expected.sorted)
  }

  private def found(condition: String)(expected: String*): Unit =
    test(s"bounds of: $condition")(assert(bounds(condition) === expected))

  found("l >= r - interval 1 second and l <= r + interval 4 seconds")("l -> r: 4", "r -> l: 1")
  found("l between r - interval 1 second and r + interval 4 seconds")("l -> r: 4", "r -> l: 1")
  found("l - interval 1 second >= r + interval 1 minute - interval 5 seconds")("r -> l: -56")
  found("l + interval 2 seconds < r - interval 1 second")("l -> r: -3")
  found("interval 1 minute + r > l")("l -> r: 60")
  found("l < r + make_dt_interval(0, 0, 1, 2.5)")("l -> r: 62.5")
  found("l - r between interval -2 seconds and interval 3 seconds")("l -> r: 3", "r -> l: 2")
  found("-(l - r) <= interval '2' second")("r -> l: 2")
  found("l = r + interval 10 seconds")("l -> r: 10", "r -> l: -10")
  found("l <= r + interval 4 seconds and l <= r + interval 2 seconds")("l -> r: 2")
  found("l <= r + interval 1 day")("l -> r: 86400")
  found("l <= r and l2 <= r + interval 1 second and l <= r2")(
    "l -> r2: 0",
    "l -> r: 0",
    "l2 -> r: 1"
  )
  found("l <= r + interval 0.0000015 seconds")("l -> r: 0.000001")

  found("not (l < r - interval 1 second or l > r + interval 4 seconds)")("l -> r: 4", "r -> l: 1")
  found("not (not (l <= r + interval 4 seconds))")("l -> r: 4")
  found("not (l not between r - interval 1 second and r + interval 4 seconds)")(
    "l -> r: 4",
    "r -> l: 1"
  )
  found("not l > r and not (key_l = key_r and false)")("l -> r: 0")
  found("l <= timestampadd(SECOND, 4, r) and timestampadd(MILLISECOND, 500, l) >= r")(
    "l -> r: 4",
    "r -> l: 0.5"
  )
  found("l <= dateadd(HOUR, -2, r)")("l -> r: -7200")
  found("l <= timestampadd(DAY, 1, r)")("l -> r: 86400")
  // The time without a key is that of the other side; both are bounded by its watermark.
  found("l = r_plain")("l -> l: 0", "l -> r_plain: 0")
  found("l_plain = r + interval 5 seconds")("r -> l_plain: -5", "r -> r: 0")
  // Where other bounds limit a side, a time without a key does not limit it too early.
  found("l = r_plain and l <= r + interval 1 hour and r <= l + interval 1 minute")(
    "l -> r: 3600",
    "r -> l: 60"
  )
  found("l = r_plain and r <= l + interval 1 minute")("l -> r_plain: 0", "r -> l: 60")

  private def windowed(name: String)(in: DataFrame): DataFrame =
    in.withColumn(s"w_$name", window(col(name), "5 seconds"))

  test("a window of a keyed time and a window of a plain one") {
    val (l, r) = (left.transform(windowed("l")), right.transform(windowed("r_plain")))
    assert(bounds(l, r, expr("w_l = w_r_plain")) === Seq("w_l -> w_l: 0", "w_l -> w_r_plain: 0"))
    assert(bounds(l, r, expr("w_r_plain = w_l")) === Seq("w_l -> w_l: 0", "w_l -> w_r_plain: 0"))
    assert(bounds(l, r, expr("w_l = w_r_plain or key_l = key_r")) === Nil)
  }

  private def none(reason: String)(condition: String): Unit =
    test(s"no bounds: $reason")(assert(bounds(condition) === Nil))

  none("one of two may hold")("l <= r + interval 1 second or l <= r + interval 4 seconds")
  none("months have no fixed length")("l <= r + interval 1 month")
  none("nulls are equal too")("l <=> r")
  none("not the time itself")("date(l) = date(r)")
  none("times of one side")("l <= l2 + interval 1 second")
  none("a time without a key")("l <= r_plain + interval 1 second")
  none("an unknown interval")("l <= r + make_dt_interval(0, 0, 0, second(r2))")
  none("an interval that is longer in another batch")(
    "l <= r + make_dt_interval(0, hour(current_timestamp()))"
  )
  none("a number of units that is higher in another batch")(
    "l <= timestampadd(HOUR, hour(current_timestamp()), r)"
  )
  none("the time of the batch")("l <= current_timestamp() - interval 1 day")
  none("a time without a key is not younger than anything")("l >= r_plain")
  none("both without a key")("l_plain = r_plain")
  none("not equal")("not (l = r)")
  none("one of two may hold, in other words")("not (l > r and l < r - interval 4 seconds)")
  none("months have no fixed length either")("l <= timestampadd(MONTH, 1, r)")
  none("an unknown number of units")("l <= timestampadd(SECOND, second(r2), r)")
  none("an interval out of range")("l <= r + interval 106751991 days + interval 106751991 days")

  test("no bounds: an interval in a column") {
    Seq("make_interval(0, 0, 0, 0, 0, 1)", "make_dt_interval(0, 0, 0, 1)").foreach { interval =>
      val waiting = left.withColumn("wait", expr(interval))
      assert(bounds(waiting, right, expr("l <= r + wait")) === Nil)
      assert(bounds(waiting, right, expr("l - wait <= r")) === Nil)
      assert(
        bounds(waiting, right, expr("l <= r + wait and l <= r + interval 10 seconds")) ===
          Seq("l -> r: 10")
      )
    }
  }

  test("no bounds: the same months on both sides") {
    val waiting = left.withColumn("wait", expr("make_interval(0, 1)"))
    assert(bounds(waiting, right, expr("l + wait <= r + wait")) === Nil)
  }

  test("a zone of the session that Spark knows, and Java by another name") {
    withConf("spark.sql.session.timeZone" -> "PST")(
      assert(bounds("l <= r + interval 1 day") === Seq("l -> r: 90000"))
    )
    withConf("spark.sql.session.timeZone" -> "+1:00")(
      assert(bounds("l <= r + interval 1 day") === Seq("l -> r: 86400"))
    )
  }

  test("the same days on both sides, in a column, are not as long where clocks are changed") {
    val waiting = left.withColumn("wait", expr("make_dt_interval(1)"))
    withConf("spark.sql.session.timeZone" -> "America/New_York")(
      assert(bounds(waiting, right, expr("l + wait <= r + wait")) === Seq("l -> r: 7200"))
    )
  }

  test("a day of local time may be as much longer as clocks are changed by") {
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      assert(bounds("l <= r + interval 1 day") === Seq("l -> r: 90000"))
      assert(bounds("l <= r + interval 23 hours") === Seq("l -> r: 82800"))
      // A difference is one of local times too.
      assert(bounds("l - r <= interval 4 seconds") === Seq("l -> r: 3604"))
    }
    // Clocks were changed from 1948 to 1951.
    withConf("spark.sql.session.timeZone" -> "Asia/Tokyo") {
      assert(bounds("l <= r + interval 1 day") === Seq("l -> r: 90000"))
    }
    withConf("spark.sql.session.timeZone" -> "Etc/GMT-9") {
      assert(bounds("l <= r + interval 1 day") === Seq("l -> r: 86400"))
    }
  }

  test("times without a zone have days of 24 hours") {
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      def ntz(name: String, key: Int) =
        events()
          .toDF()
          .select(col("time").cast("timestamp_ntz").as(name))
          .withKeyedWatermark(name, "1 second", key)
      assert(
        bounds(ntz("l", 0), ntz("r", 1), expr("l <= r + interval 1 day")) === Seq("l -> r: 86400")
      )
    }
  }

  test("equal windows") {
    def windows(stream: DataFrame, name: String, key: Int) =
      stream
        .withKeyedWatermark("time", "1 second", key)
        .groupBy(window(col("time"), "10 seconds").as(name))
        .count()
    val (l, r) = (windows(events().toDF(), "l", 0), windows(events().toDF(), "r", 1))
    assert(bounds(l, r, expr("l = r")) === Seq("l -> r: 0", "r -> l: 0"))
    assert(bounds(l, r, expr("l.end = r.end")) === Seq("l -> r: 0", "r -> l: 0"))
    assert(bounds(l, r, expr("l.start = r.start")) === Seq("l -> r: 0", "r -> l: 0"))
    assert(
      bounds(l, r, expr("l.end <= r.end and r.start <= l.start + interval 1 hour")) ===
        Seq("l -> r: 0", "r -> l: 3600")
    )
    // The end of a window and a time are not of the same kind.
    val times = events().toDF().withKeyedWatermark("time", "1 second", 2)
    assert(bounds(l, times, expr("l.end = time")) === Nil)
    // A window is compared by its start first.
    assert(bounds(l, r, expr("l <= r")) === Nil)
  }

  test("windows of other lengths: their starts are equal, their ends are not") {
    def windows(stream: DataFrame, name: String, key: Int, size: Int) =
      stream
        .withKeyedWatermark("time", "1 second", key)
        .groupBy(window(col("time"), s"$size seconds").as(name))
        .count()
    val (l, r) = (windows(events().toDF(), "l", 0, 10), windows(events().toDF(), "r", 1, 60))
    // The end of r is 50 s after that of l.
    assert(bounds(l, r, expr("l.start = r.start")) === Seq("l -> r: -50", "r -> l: 50"))
    assert(bounds(l, r, expr("l.end = r.end")) === Seq("l -> r: 0", "r -> l: 0"))
  }

  /** Windows of so many seconds, named by the key of their watermark. */
  private def windows(key: Int, size: Int): DataFrame = events()
    .toDF()
    .withKeyedWatermark("time", "1 second", key)
    .groupBy(window(col("time"), s"$size seconds").as(s"w$key"))
    .count()

  test("a union of other windows: a start tells nothing of the end, in whichever branch it is") {
    val equalEnds = Seq("w0 -> w1: 0", "w1 -> w0: 0")
    for {
      sizes <- Seq(Seq(10, 60), Seq(60, 10), Seq(10, 60, 10), Seq(10, 10, 60), Seq(60, 10, 10))
      size <- Seq(10, 60)
    } withClue(s"$sizes, $size: ") {
      val (l, r) = (sizes.map(windows(0, _)).reduce(_ union _), windows(1, size))
      assert(bounds(l, r, expr("w0.start = w1.start")) === Nil)
      assert(bounds(l, r, expr("w0.end = w1.end")) === equalEnds)
      assert(bounds(l, r, expr("w0.start = w1.start AND w0.end = w1.end")) === equalEnds)
      assert(bounds(l, r, expr("w0 = w1")) === equalEnds)
      assert(equalWindows(l, r, expr("w0.end = w1.end")) === Seq("w1 by w0"))
    }
    val (l, r) = (Seq.fill(3)(windows(0, 10)).reduce(_ union _), windows(1, 10))
    assert(bounds(l, r, expr("w0.start = w1.start")) === equalEnds)
    assert(equalWindows(l, r, expr("w0.end = w1.end")) === Seq("w0 = w1"))
  }

  test("windows of other lengths: each follows from the end of the other") {
    val (l, r) = (windows(0, 10), windows(1, 60))
    Seq(
      "w0.end = w1.end",
      "w0.start = w1.start",
      "w0.end = w1.start - interval 1 hour",
      "w0.end >= w1.end AND w0.end <= w1.end"
    ).foreach(equal => assert(equalWindows(l, r, expr(equal)) === Seq("w0 by w1")))
    assert(equalWindows(l, r, expr("w0.end >= w1.end")) === Nil)
  }

  test("sessions: only their ends tell when they are closed") {
    def sessions(stream: DataFrame, name: String, key: Int) =
      stream
        .withKeyedWatermark("time", "1 second", key)
        .groupBy(session_window(col("time"), "10 seconds").as(name), col("n"))
        .count()
    val (l, r) = (sessions(events().toDF(), "l", 0), sessions(events().toDF(), "r", 1))
    assert(bounds(l, r, expr("l.start = r.start")) === Nil)
    assert(bounds(l, r, expr("l.end = r.end")) === Seq("l -> r: 0", "r -> l: 0"))
  }

  test("window columns of SQL: their start tells the end of the same window") {
    def windows(name: String, key: Int, call: String) = {
      events().toDF().withKeyedWatermark("time", "1 second", key).createOrReplaceTempView(name)
      spark.sql(
        s"SELECT window_start AS ${name}_start, window_end AS ${name}_end FROM $call($name, " +
          "DESCRIPTOR(time), INTERVAL 10 SECONDS)"
      )
    }
    val (l, r) = (windows("l", 0, "TUMBLE"), windows("r", 1, "TUMBLE"))
    val both = Seq("l_end -> r_end: 0", "r_end -> l_end: 0")
    assert(bounds(l, r, expr("l_end = r_end")) === both)
    assert(bounds(l, r, expr("l_start = r_start")) === both)
    assert(bounds(l, r.drop("r_end"), expr("l_start = r_start")) === Nil)
  }

  test("window columns of SQL: the end of another window of the same size is not that of a start") {
    def windows(name: String, key: Int) = {
      events().toDF().withKeyedWatermark("time", "1 second", key).createOrReplaceTempView(name)
      spark.sql(
        s"SELECT n AS ${name}_n, window_start AS ${name}_start, window_end AS ${name}_end FROM " +
          s"TUMBLE($name, DESCRIPTOR(time), INTERVAL 10 SECONDS) GROUP BY n, window_start, window_end"
      )
    }
    val c = windows("c", 2)
    // The windows of the two sides have keys of their own, or the same one.
    for (key <- Seq(1, 0)) withClue(s"$key: ") {
      val near =
        expr("l_n = r_n AND l_end BETWEEN r_end - INTERVAL 1 HOUR AND r_end + INTERVAL 1 HOUR")
      val both = windows("l", 0).join(windows("r", key), near)
      val mixed = both.select("l_n", "l_start", "r_end")
      assert(bounds(mixed, c, expr("l_n = c_n AND l_start = c_start")) === Nil)
      val ends = Seq("c_end -> l_end: 0", "l_end -> c_end: 0")
      val own = both.select("l_n", "l_start", "l_end")
      assert(bounds(own, c, expr("l_n = c_n AND l_start = c_start")) === ends)
    }
  }

  test("limits are rounded so that no row goes too early") {
    val column = left.queryExecution.analyzed.output.find(EventTimeTag.key(_).isDefined).get
    val byMs = Seq(0L, 1L, 999L, 1000L, 1001L, -1L, -1000L, -1001L).map { micros =>
      micros -> operators.JoinBound(column, column, micros).byMs
    }
    assert(
      byMs === Seq(
        0L -> 0L,
        1L -> 1L,
        999L -> 1L,
        1000L -> 1L,
        1001L -> 2L,
        -1L -> 0L,
        -1000L -> -1L,
        -1001L -> -1L
      )
    )
  }
}
