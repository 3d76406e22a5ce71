package tidegate
package execution.frames

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Hundreds of windows of one key are open while the watermark is held back. */
class ManyFramesSuite extends FrameScenarioTest {

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
}
