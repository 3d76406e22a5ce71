package tidegate
package own.windows

import java.sql.Timestamp

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** What gets into which sliding window, and when the window leaves. */
class FrameScenarioSuite extends FrameScenarioTest {

  private def counts(rows: DataFrame): DataFrame = ordered(rows).groupBy(tens).agg(count("*"))

  private def countsBySub(rows: DataFrame): DataFrame =
    orderedBySub(rows).groupBy(tens).agg(count("*"))

  private def sums(rows: DataFrame): DataFrame =
    ordered(rows)
      .groupBy(tens)
      .agg(sum("n"), sum(expr("nullif(n, n)")), count(expr("nullif(n, n)")))

  private def a(seconds: Double*): Seq[Event] = seconds.map(event("a", _))

  scenario("a row that is late for some of its windows is in the others", late = 1)(counts)(
    Seq(
      send(a(100): _*).givesNothing,
      send(a(96): _*).givesNothing,
      send(a(106): _*).gives("[95,105)|2"),
      send(a(94): _*).givesNothing,
      send(a(101): _*).givesNothing,
      send(a(120): _*).gives("[100,110)|3", "[105,115)|1")
    )
  )

  scenario("a window whose aggregate is zero leaves like any other")(sums)(
    Seq(
      send(event("a", 100, 3), event("a", 101, -3)).givesNothing,
      send(event("a", 113, 0)).gives("[95,105)|0|null|0", "[100,110)|0|null|0"),
      send(event("a", 130, 0)).gives("[105,115)|0|null|0", "[110,120)|0|null|0")
    )
  )

  streamed("null is a key of its own")(ordered(_).groupBy(tens, col("sub")).agg(count("*")))(
    Seq(
      send(event(null, 100), event("a", 100)).givesNothing,
      send(event(null, 106)).gives("[95,105)|a|1", "[95,105)|null|1"),
      send(a(120): _*).gives("[100,110)|a|1", "[100,110)|null|2", "[105,115)|null|1")
    )
  )

  scenario("structs are equal as keys if their fields are")(
    ordered(_).groupBy(tens, struct(col("sub"), col("n"))).agg(count("*"))
  )(
    Seq(
      send(event(null, 100), event("a", 100), event("a", 100, 2)).givesNothing,
      send(event(null, 101), event("a", 101)).givesNothing,
      send(a(120): _*).gives(
        Seq("[95,105)", "[100,110)")
          .flatMap(w => Seq(s"$w|[a,1)|2", s"$w|[a,2)|1", s"$w|[null,1)|2")): _*
      )
    )
  )

  scenario(
    "windows do not follow the time zone of the session, but the hour does",
    settings = Map("spark.sql.session.timeZone" -> "America/St_Johns")
  )(
    ordered(_).groupBy(window(col("time"), "1 hour", "30 minutes"), hour(col("time"))).count()
  )(
    Seq(
      send(a(7200): _*).givesNothing,
      send(a(9000): _*).gives("[5400,9000)|22|1"),
      send(a(20000): _*)
        .gives("[7200,10800)|22|1", "[7200,10800)|23|1", "[9000,12600)|23|1")
    )
  )

  scenario("windows before the epoch and across it are like all others", late = 1)(counts)(
    Seq(
      send(a(-25, -3): _*).gives("[-30,-20)|1", "[-25,-15)|1"),
      send(a(-14, 5): _*).gives("[-10,0)|1", "[-5,5)|1"),
      send(a(20): _*).gives("[0,10)|1", "[5,15)|1")
    )
  )

  scenario("windows begin at the offset", late = 1)(
    ordered(_)
      .groupBy(window(col("time"), "10 seconds", "5 seconds", "2 seconds"))
      .agg(count("*"))
  )(
    Seq(
      send(a(100): _*).givesNothing,
      send(a(101): _*).givesNothing,
      send(a(102): _*).gives("[92,102)|2"),
      send(a(96.5): _*).givesNothing,
      send(a(112): _*).gives("[97,107)|3", "[102,112)|1")
    )
  )

  scenario("times without a time zone have windows of their type")(rows =>
    counts(rows.withColumn("time", col("time").cast("timestamp_ntz")))
  )(
    Seq(
      send(a(100): _*).givesNothing,
      send(a(120): _*).gives(
        "[1970-01-01T00:01:35,1970-01-01T00:01:45)|1",
        "[1970-01-01T00:01:40,1970-01-01T00:01:50)|1"
      )
    )
  )

  scenario("a jump of an hour closes what is open, and nothing in between")(counts)(
    Seq(
      send(a(100, 101): _*).givesNothing,
      send(a(3700): _*).gives("[95,105)|2", "[100,110)|2"),
      send(a(3710): _*).gives("[3695,3705)|1", "[3700,3710)|1")
    )
  )

  scenario("one batch closes more windows than a row is in")(counts)(
    Seq(
      send(a((20 to 30).map(_ * 5.0): _*): _*)
        .gives("[95,105)|1" +: (20 to 28).map(i => s"[${i * 5},${i * 5 + 10})|2"): _*),
      send(a(1000): _*).gives("[145,155)|2", "[150,160)|1")
    )
  )

  streamed("a key that was silent comes back")(
    ordered(_).groupBy(tens, col("sub")).agg(count("*"))
  )(
    Seq(
      send(a(100): _*).givesNothing,
      send(event("b", 200)).gives("[95,105)|a|1", "[100,110)|a|1"),
      send(a(205): _*).gives("[195,205)|b|1"),
      send(event("b", 300)).gives("[200,210)|a|1", "[200,210)|b|1", "[205,215)|a|1")
    )
  )

  scenario("a hole far behind the newest row is filled later")(countsBySub)(
    Seq(
      send(event("b", 100), event("a", 100)).givesNothing,
      send(a(1000): _*).givesNothing,
      send(a(110): _*).givesNothing,
      send(event("b", 2000), event("a", 2000)).gives(
        "[95,105)|2",
        "[100,110)|2",
        "[105,115)|1",
        "[110,120)|1",
        "[995,1005)|1",
        "[1000,1010)|1"
      )
    )
  )

  scenario("a row without a time is in no window and not late")(counts)(
    Seq(
      send(event("a", 100), Event("a", null: Timestamp, 1)).givesNothing,
      send(Event("a", null: Timestamp, 1)).givesNothing,
      send(a(120): _*).gives("[95,105)|1", "[100,110)|1")
    )
  )

  scenario("empty batches change nothing")(counts)(
    Seq(
      send().givesNothing,
      send(a(100): _*).givesNothing,
      send().givesNothing,
      send(a(120): _*).gives("[95,105)|1", "[100,110)|1"),
      send().givesNothing
    )
  )

  scenario(
    "windows whose size is no multiple of the slide are right, by Spark's plan",
    frames = false
  )(
    ordered(_).groupBy(window(col("time"), "10 seconds", "4 seconds")).agg(count("*"))
  )(
    Seq(
      send(a(100): _*).givesNothing,
      send(a(104): _*).gives("[92,102)|1"),
      send(a(120): _*).gives("[96,106)|2", "[100,110)|2", "[104,114)|1")
    )
  )
}
