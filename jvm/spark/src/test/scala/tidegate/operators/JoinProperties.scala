package tidegate
package operators

import scala.util.Random

import org.apache.spark.sql.{DataFrame, Row}
import tidegate.builders.Between

/**
 * Joins of random streams against Spark's batch join of the rows that a model finds on time.
 *
 * Random bounds, lags, orders of arrival, cuts into batches and kills, on Tidegate's join in one
 * state store, with `-Dtidegate.stores=all` in each, and on one of Spark's; the titles go through
 * all of them. The seed is in the clue of a failure. `-Dtidegate.cases=100` tries more of them.
 */
class JoinProperties extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "inner join, rows beyond",
    "leftOuter join, rows beyond",
    "rightOuter join, rows beyond",
    "leftAnti join, rows beyond"
  )

  private val cases = AtNight.cases(few = 1, all = 3)
  private val substreams = Seq("a", "b")
  private val start = -30.0
  private val end = 100000.0

  /** The rows of one stream, batch by batch, and how far they may be out of order. */
  private final class Side(val lag: Int, val batches: Seq[Seq[Event]]) {

    /**
     * A row is late if it is below the watermark at the start of its batch: that of the batches
     * before the last, as the last one is known only when it has ended.
     */
    def onTime: Seq[Event] = batches.indices.flatMap { i =>
      val watermarks = (0 to i - 2).map { seen =>
        val tops = batches.take(seen + 1).flatten.groupMapReduce(_.sub)(_.time.getTime)(math.max)
        tops.values.min - lag * 1000L
      }
      batches(i).filter(e => watermarks.forall(e.time.getTime >= _))
    }
  }

  private def side(random: Random, batches: Int, beyond: Boolean): Side = {
    val lag = random.nextInt(6)
    val tops = scala.collection.mutable.Map.from(substreams.map(_ -> start))
    def next(sub: String, n: Int): Event = {
      tops(sub) += random.nextInt(80) / 10.0
      val back = if (beyond && random.nextInt(4) == 0) 40 else lag
      event(sub, math.max(start, tops(sub) - random.nextInt(back * 10 + 1) / 10.0), n)
    }
    val first = substreams.map(event(_, start, random.nextInt(3)))
    val middle = Seq.fill(batches) {
      for (sub <- substreams; _ <- 0 until random.nextInt(4)) yield next(sub, random.nextInt(3))
    }
    // The last rows let all others go, also those that are late for them.
    new Side(lag, (first +: middle) :+ Nil :+ substreams.map(event(_, end, -1)))
  }

  private def check(how: String, seed: Int, beyond: Boolean)(
      inStore: (=> Seq[Row]) => Seq[Row]
  ): Unit = {
    val random = new Random(s"$how $seed".hashCode)
    val batches = 3 + random.nextInt(4)
    val (left, right) = (side(random, batches, beyond), side(random, batches, beyond))
    val lower = random.nextInt(13) - 9
    val between =
      Between(
        "delivery_time",
        "order_time",
        s"$lower seconds",
        s"${lower + random.nextInt(12)} seconds"
      )
    val kills = Seq.fill(2)(random.nextInt(batches + 3).toLong).distinct.sorted

    def joined(orders: DataFrame, deliveries: DataFrame): DataFrame =
      orders.streamJoin(deliveries, orders("id") === deliveries("id"), how, between)

    val expected =
      joined(ordersOf(memory(left.onTime)), deliveriesOf(memory(right.onTime))).collect().toSeq
    val found = inStore {
      val (lefts, rights) = (feed(left.batches: _*), feed(right.batches: _*))
      val run = harness(
        joined(
          exactly(ordersOf(lefts.toDF()), "order_time", left.lag, key = 0),
          exactly(deliveriesOf(rights.toDF()), "delivery_time", right.lag, key = 1)
        )
      )
      kills.foreach { batch =>
        run.failIn = _ == batch
        run.restart().settle()
      }
      run.failIn = _ => false
      run.restart().settle()
      if (!beyond) assert(run.lateRows === Map.empty)
      run.rows
    }
    withClue(s"$how, seed $seed, lags ${left.lag} ${right.lag}, $between, kills $kills: ") {
      assert(texts(found) === texts(expected))
    }
  }

  private def texts(rows: Seq[Row]): Seq[String] =
    rows.map(KeyedStreamTest.text).filterNot(_.contains("-1")).sorted

  private def memory(events: Seq[Event]): DataFrame =
    spark.createDataset(events)(KeyedStreamTest.eventEncoder).toDF()

  /** Every advance of the watermark is visible. */
  private def exactly(df: DataFrame, time: String, lag: Int, key: Int): DataFrame =
    df.withKeyedWatermark(
      time,
      s"$lag seconds",
      key,
      substream = Seq("sub"),
      emission = byMinStep("1 millisecond")
    )

  for (
    ((how, beyond), i) <- joinTypes.flatMap(how => Seq(how -> false, how -> true)).zipWithIndex
  ) {
    val rows = if (beyond) "rows beyond the lag" else "rows within the lag"
    test(s"$how join, $rows: as in batch") {
      val ofSpark = joinStates.filterNot(_.isOwn)
      (1 to cases).foreach { seed =>
        onOne(check(how, seed, beyond)(withConf("spark.tidegate.join.enabled" -> "true")(_)))
        val state = ofSpark((seed + i) % ofSpark.size)
        withClue(s"$state: ")(check(how, seed, beyond)(on(state)(_)))
      }
    }
  }
}
