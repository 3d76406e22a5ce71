package tidegate
package faults

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.builders.Between

/** Queries whose columns have any name, and whose events have any time of TIMESTAMP. */
class HostileRowsSuite extends KeyedStreamTest {
  import HostileValues._

  private def within[T](what: String)(body: => T): T =
    withClue(s"$what: ")(Await.result(Future(body)(ExecutionContext.global), 120.seconds))

  private val names: Seq[(String, String)] = texts.zip(texts.tail :+ "n")

  test("columns of any name are time, substream and partition, from start to rows") {
    names.foreach { case (time, sub) =>
      within(s"columns '${time.take(20)}' and '${sub.take(20)}'") {
        val in = events()
        val keyed = in
          .toDF()
          .toDF(sub, time, "number")
          .withKeyedWatermark(quoted(time), "1 second", substream = Seq(quoted(sub)))
        val run = new Run(keyed.orderByEventTime(Seq(quoted(sub)), quoted(time))).start()
        in.addData(event("a", 5, 1), event("a", 3, 2), event("a", 9, 3))
        run.settle()
        assert(run.take().size === 2)
        run.restart()
        in.addData(event("a", 30, 4))
        run.settle()
        assert(run.take().size === 1)
        run.stop()
      }
    }
  }

  test("columns of any name are in windows from frames") {
    names.take(8).foreach { case (time, sub) =>
      within(s"columns '$time' and '$sub'") {
        val in = events()
        val keyed = in
          .toDF()
          .toDF(sub, time, "number")
          .withKeyedWatermark(quoted(time), "1 second", substream = Seq(quoted(sub)))
        val windows = window(col(quoted(time)), "10 seconds", "5 seconds")
        val run = new Run(keyed.groupBy(col(quoted(sub)), windows).agg(sum("number"))).start()
        in.addData(event("a", 5, 1), event("a", 31, 2))
        run.settle()
        assert(run.take().size === 2)
        run.stop()
      }
    }
  }

  /** The event time is the number `n` of the list. */
  private def timed(events: DataFrame, of: Seq[Long]): DataFrame = {
    val micros = typedLit(of.toArray)
    events.withColumn("time", timestamp_micros(element_at(micros, col("n") + lit(1))))
  }

  private def keyed(events: DataFrame, key: Int = 0): DataFrame =
    events.withKeyedWatermark("time", "5 seconds", key = key, substream = Seq("sub"))

  private def start(window: String): Column = unix_micros(col(s"$window.start"))

  private val operators: Seq[(String, (DataFrame, DataFrame) => DataFrame)] = Seq(
    "tumbling windows" -> ((in, _) =>
      keyed(in)
        .groupBy(window(col("time"), "10 seconds"))
        .count()
        .select(start("window"), col("count"))
    ),
    "sliding windows" -> ((in, _) =>
      keyed(in)
        .groupBy(window(col("time"), "1 hour", "10 minutes"))
        .count()
        .select(start("window"), col("count"))
    ),
    "sessions" -> ((in, _) =>
      keyed(in)
        .groupBy(col("sub"), session_window(col("time"), "10 seconds").as("s"))
        .count()
        .select(start("s"), col("count"))
    ),
    "cumulated windows" -> { (in, _) =>
      keyed(in).createOrReplaceTempView("hostile")
      spark.sql("""SELECT unix_micros(window_start), unix_micros(window_end), count(*)
        FROM CUMULATE(hostile, DESCRIPTOR(time), 5 seconds, 15 seconds)
        GROUP BY window_start, window_end""")
    },
    "order" -> ((in, _) => keyed(in).orderByEventTime().select(unix_micros(col("time")), col("n"))),
    "deduplication" -> ((in, _) => keyed(in).dropDuplicates("time").select("n")),
    "deduplication within the watermark" -> ((in, _) =>
      keyed(in).dropDuplicatesWithinWatermark("n").select("n")
    ),
    "an as-of join" -> { (left, right) =>
      keyed(left)
        .asOfJoin(
          keyed(right).select(col("sub"), col("time").as("since"), col("n").as("version")),
          Seq("sub"),
          how = "left"
        )
        .select(col("n"), unix_micros(col("time")), unix_micros(col("since")))
    },
    "an outer join" -> { (left, right) =>
      val r = right.select(col("n"), col("time"), col("sub"))
      keyed(left)
        .select(col("n"), col("time").as("l"))
        .streamJoin(
          keyed(r, key = 1).select(col("n"), col("time").as("r")),
          Seq("n"),
          "leftOuter",
          Between("r", "l", "-1 hour", "1 hour")
        )
        .select(col("n"), unix_micros(col("l")), unix_micros(col("r")))
    }
  )

  private val Hour = 3600000000L

  /**
   * Spark's `window` without frames, its `session_window`, and a sum of a time and an interval,
   * fail with an overflow where the result is no TIMESTAMP.
   */
  private val limits: Map[String, (Long, Long)] =
    Seq("tumbling windows", "sessions", "an outer join")
      .map(_ -> (Long.MinValue + Hour, Long.MaxValue - Hour))
      .toMap

  for ((name, query) <- operators)
    test(s"$name over times from the first to the last of TIMESTAMP neither fail nor hang") {
      within(name) {
        val random = new Random(name.length)
        val all = random.shuffle(HostileValues.times) ++ Seq.fill(200)(time(random))
        val (first, last) = limits.getOrElse(name, Long.MinValue -> Long.MaxValue)
        val times = all.map(time => math.max(first, math.min(last, time)))
        val (left, right) = (events(), events())
        val run =
          new Run(query(timed(left.toDF(), times), timed(right.toDF(), times))).start()
        times.indices.grouped(80).foreach { batch =>
          val rows = batch.map(i => event(if (i % 2 == 0) "a" else "b", 0, i))
          left.addData(rows)
          right.addData(rows)
          run.settle()
        }
        assert(run.query.exception === None)
        run.stop()
        ()
      }
    }
}
