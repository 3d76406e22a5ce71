package tidegate
package own.windows

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Hundreds of windows of one key are open while the watermark is held back. */
class ManyFramesSuite extends FrameScenarioTest {

  override protected def atNight: Seq[String] = Seq("of objects", "close at once")

  private def seconds(times: Range): Seq[Event] = times.map(s => event("a", s.toDouble))

  private val first = Seq(event("a", 100), event("b", 100))

  private def query(rows: DataFrame): DataFrame = orderedBySub(rows)
    .groupBy(window(col("time"), "10 seconds", "1 second"), col("n"))
    .agg(count("*"), sum("n"))

  /** The windows that end after `from` and by `to`, of all the rows so far. */
  private def closed(from: Int, to: Int, rows: Seq[Event]): Seq[String] =
    (from + 1 to to).flatMap { end =>
      val inside = rows.map(_.time.getTime / 1000).count(s => s >= end - 10 && s < end)
      Option.when(inside > 0)(s"[${end - 10},$end)|1|$inside|$inside")
    }

  private val open = seconds(101 to 700)

  scenario("hundreds of open windows close at once")(query) {
    Seq(
      send(first: _*).givesNothing,
      send(seconds(101 to 400): _*).givesNothing,
      send(seconds(401 to 700): _*).givesNothing,
      send(event("a", 5000), event("b", 5000)).gives(closed(100, 5000, first ++ open): _*)
    )
  }

  scenario("hundreds of open windows close step by step")(query) {
    val marks = Seq(150, 151, 400, 450, 5000)
    val ticks = marks.map(m => event("b", m.toDouble))
    val last = event("a", 5000)
    val steps = marks.zipWithIndex.map { case (mark, i) =>
      val rows = first ++ open ++ ticks.take(i + 1)
      val before = if (i == 0) 100 else marks(i - 1)
      val sent = ticks(i) +: Seq(last).filter(_ => mark == 5000)
      send(sent: _*).gives(closed(before, mark, rows): _*)
    }
    send(first: _*).givesNothing +: send(open: _*).givesNothing +: steps
  }

  // Spark's own window makes an Expand of so many windows, whose generated code does not compile.
  scenario("a row of hundreds of windows is in each of them")(
    sql("""SELECT window_start, window_end, count(*)
      FROM HOP(TABLE(o), DESCRIPTOR(time), 10 minutes, 1 second)
      GROUP BY window_start, window_end""")
  )(
    Seq(
      send(event("a", 1000)).givesNothing,
      send(event("a", 5000)).gives((401 to 1000).map(s => s"$s|${s + 600}|1"): _*)
    )
  )

  /**
   * Batches, each with the watermark at its end. The second row of some is behind the watermark.
   */
  private val batches = Seq(
    100 -> first,
    100 -> seconds(101 to 560),
    150 -> Seq(event("b", 150), event("a", 120)),
    151 -> Seq(event("b", 151), event("a", 102)),
    400 -> Seq(event("b", 400), event("a", 399)),
    450 -> Seq(event("b", 450), event("a", 120)),
    555 -> Seq(event("b", 555), event("a", 121)),
    5000 -> Seq(event("a", 5000), event("b", 5000))
  )

  private val marks = 0 +: batches.map(_._1)

  /**
   * What leaves with a batch: a row is in those of its windows that were open when the row came.
   */
  private def grown(batch: Int): Seq[String] =
    (marks(batch) + 1 to marks(batch + 1)).flatMap { end =>
      val start = (end - 1) / 600 * 600
      val inside = for {
        i <- 0 to batch
        row <- batches(i)._2
        second = (row.time.getTime / 1000).toInt
        if second >= start && second < end && end > marks(i)
      } yield second
      Option.when(inside.nonEmpty)(s"$start|$end|${inside.size}|${inside.sum}")
    }

  private def growing(aggregate: String)(rows: DataFrame): DataFrame = {
    orderedBySub(rows).createOrReplaceTempView("o")
    spark.sql(s"""SELECT unix_seconds(window_start), unix_seconds(window_end), count(*), $aggregate
      FROM CUMULATE(TABLE(o), DESCRIPTOR(time), 1 second, 10 minutes)
      GROUP BY window_start, window_end""")
  }

  Seq(
    "numbers" -> "sum(unix_seconds(time))",
    "objects" -> "aggregate(collect_list(unix_seconds(time)), 0L, (sum, second) -> sum + second)"
  ).foreach { case (entries, aggregate) =>
    scenario(s"hundreds of windows that grow close step by step, of $entries")(growing(aggregate)) {
      batches.zipWithIndex.map { case ((_, rows), i) => send(rows: _*).gives(grown(i): _*) }
    }
  }
}
