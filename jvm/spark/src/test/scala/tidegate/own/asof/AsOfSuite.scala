package tidegate
package own.asof

import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.functions.{col, count, sum, window}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.own.HarnessTest

/** As-of joins of streams as a query runs them, against the same join of tables. */
class AsOfSuite extends HarnessTest {
  import spark.implicits._

  private def orders(rows: DataFrame): DataFrame =
    rows.toDF("currency", "order_time", "amount")

  private def rates(rows: DataFrame): DataFrame = rows.toDF("currency", "rate_time", "rate")

  private def keyedOrders(rows: DataFrame, lag: String = "3 seconds"): DataFrame =
    orders(rows).withKeyedWatermark("order_time", lag, name = "orders")

  private def keyedRates(rows: DataFrame, lag: String = "3 seconds"): DataFrame =
    rates(rows).withKeyedWatermark("rate_time", lag, name = "rates")

  private def batches(seed: Int, keys: String): Seq[Seq[Event]] = {
    val random = new Random(seed)
    var now = if (seed % 2 == 0) -20.0 else 100.0
    var n = 0
    (1 to 10).map { i =>
      now += (if (i == 6) 100000.0 else random.nextInt(6).toDouble)
      Seq.fill(random.nextInt(12)) {
        n += 1
        val e = event(
          if (random.nextInt(12) == 0) null else keys.charAt(random.nextInt(keys.length)).toString,
          // Times are distinct, so that there is one newest version.
          now - random.nextInt(3) + n * 0.0001,
          n
        )
        if (random.nextInt(12) == 0) e.copy(time = null.asInstanceOf[Timestamp]) else e
      }
    } :+ Seq(event("end", now + 1000000, 0))
  }

  private def wanted(
      join: (DataFrame, DataFrame) => DataFrame,
      left: Seq[Seq[Event]],
      right: Seq[Seq[Event]]
  ): Seq[String] = {
    def table(rows: Seq[Seq[Event]]) = rows.flatten.toDF()
    join(orders(table(left)), rates(table(right))).collect().map(KeyedStreamTest.text).toSeq.sorted
  }

  private val joins: Seq[(String, (DataFrame, DataFrame) => DataFrame)] = Seq(
    "inner" -> (_.asOfJoin(_, Seq("currency"))),
    "left" -> (_.asOfJoin(_, Seq("currency"), how = "left")),
    "left, with a tolerance" ->
      (_.asOfJoin(_, Seq("currency"), how = "leftouter", tolerance = "2 seconds")),
    "on a condition" -> { (o, r) =>
      o.asOfJoin(r, o("currency") === r("currency") && r("rate") % 3 =!= 0, "left")
    }
  )

  for ((title, join) <- joins)
    test(s"$title: the rows of tables, with a restart before each batch") {
      onOne {
        val seed = title.length
        val (left, right) = (batches(seed, "abc"), batches(seed + 100, "abcd"))
        val (ins, others) = (feed(), feed())
        val run = harness(join(keyedOrders(ins.toDF()), keyedRates(others.toDF())))
        left.zip(right).foreach { case (l, r) =>
          run.restart()
          ins.addData(l)
          others.addData(r)
          run.settle()
        }
        val rows = run.byBatch.values.flatten.toSeq.sorted
        assert(run.lateRows === Map.empty)
        // The last row of the left side waits for ever.
        assert(rows === wanted(join, left.init, right))
        // One version of each key, and the row that waits.
        assert(run.stateRows <= 6)
      }
    }

  test("killed in every batch, on each kind of store") {
    for ((stores, seed) <- inPairs(3)) on(stores) {
      val (left, right) = (batches(seed, "abc"), batches(seed + 100, "abcd"))
      val join = joins.toMap.apply("left")
      val run =
        checkKilled(join(keyedOrders(feed(left: _*).toDF()), keyedRates(feed(right: _*).toDF())))
      assert(run.byBatch.values.flatten.toSeq.sorted === wanted(join, left.init, right))
    }
  }

  test("late rows of each side are dropped and counted, by the watermark of their side") {
    val (ins, others) = (feed(), feed())
    val run = harness(
      keyedOrders(ins.toDF())
        .asOfJoin(keyedRates(others.toDF()), Seq("currency"), how = "left")
        .tidegateName("priced")
    ).start()
    ins.addData(event("a", 10, 1), event("a", 20, 2))
    others.addData(event("a", 9, 3), event("a", 100, 4))
    run.settle()
    assert(run.answer === Seq("a|10|1|9|3", "a|20|2|9|3"))
    // Late for the left side alone, and for the right side alone.
    ins.addData(event("a", 16, 5), event("a", 18, 6))
    others.addData(event("a", 96, 7), event("a", 17.5, 8))
    run.settle()
    assert(run.lateRows === Map("priced.left" -> 1L, "priced.right" -> 2L))
    assert(run.answer.filter(_.contains("|6|")) === Seq("a|18|6|9|3"))
  }

  test("what a batch decides leaves in the same batch, where queries close so") {
    withConf("spark.tidegate.closing" -> "sameBatch") {
      val (ins, others) = (feed(), feed())
      val run =
        harness(keyedOrders(ins.toDF()).asOfJoin(keyedRates(others.toDF()), Seq("currency")))
          .start()
      ins.addData(event("a", 10, 1), event("a", 98, 2))
      others.addData(event("a", 9, 3), event("a", 100, 4))
      run.settle()
      assert(run.byBatch(0) === Seq("a|10|1|9|3"))
    }
  }

  test("no batch runs without rows until a row is due") {
    val (ins, others) = (feed(), feed())
    val run =
      harness(keyedOrders(ins.toDF()).asOfJoin(keyedRates(others.toDF()), Seq("currency"))).start()
    ins.addData(event("a", 100, 1))
    others.addData(event("a", 10, 2))
    run.settle()
    val first = run.log.size
    others.addData(event("a", 50, 3))
    assert(run.settle().log.size === first + 1)
    others.addData(event("a", 200, 4))
    assert(run.settle().log.size === first + 3)
    assert(run.answer === Seq("a|100|1|50|3"))
  }

  test("an idle right side holds no rows; versions that come later are for later rows") {
    val (ins, others) = (feed(), feed())
    val right =
      rates(others.toDF()).withKeyedWatermark("rate_time", "3 seconds", idleTimeout = "10 seconds")
    val run = harness(keyedOrders(ins.toDF()).asOfJoin(right, Seq("currency"))).start()
    ins.addData(event("a", 50, 1))
    others.addData(event("a", 10, 2))
    run.settle()
    run.clock.advance(11000)
    ins.addData(event("a", 60, 3), event("a", 100, 4))
    assert(run.settle().take() === Seq("a|50|1|10|2", "a|60|3|10|2"))
    others.addData(event("a", 20, 5), event("a", 98, 6))
    ins.addData(event("a", 99, 7))
    assert(run.settle().take() === Nil)
    others.addData(event("a", 200, 8))
    assert(run.settle().answer === Seq("a|100|4|98|6", "a|99|7|98|6"))
    assert(run.lateRows === Map.empty)
  }

  test("a state of other times or columns is refused; a larger tolerance goes on") {
    val (ins, others) = (feed(), feed())
    var query =
      (o: DataFrame, r: DataFrame) => o.asOfJoin(r, Seq("currency"), tolerance = "1 minute")
    val run = harness(query(keyedOrders(ins.toDF()), keyedRates(others.toDF()))).start()
    def add(second: Int): Unit = {
      ins.addData(event("a", second, second))
      others.addData(event("a", second - 1, second), event("a", second + 100, 0))
      val _ = run.settle()
    }
    def refused(): String = intercept[AnalysisException](run.start().settle()).getMessage
    add(10)
    query = (o, r) => o.withColumnRenamed("order_time", "time").asOfJoin(r, Seq("currency"))
    ins.addData(event("a", 150, 1))
    assert(
      refused() ===
        "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `asOfJoin`: the rows of an as-of " +
        "join. But its times are `time` and `rate_time` now, and were `order_time` and `rate_time` " +
        "before. Start the query as it was, or with a new checkpoint; nothing in this one was " +
        "changed. SQLSTATE: 42K03"
    )
    query = (o, r) =>
      o.asOfJoin(r.withColumnRenamed("currency", "of"), o("currency") === col("of"), "inner")
        .drop("of")
    assert(
      refused().contains("But its keys are currency = of now, and were currency = currency before")
    )
    query = (o, r) => o.withColumnRenamed("amount", "n").asOfJoin(r, Seq("currency"))
    assert(refused().contains("rows of its left side, with the columns "))
    query = (o, r) => o.asOfJoin(r, Seq("currency"), tolerance = "1 hour")
    run.start()
    add(200)
    assert(run.answer === Seq("a|10|10|9|10", "a|150|1|110|0", "a|200|200|199|200"))
  }

  test("an operator behind the join runs on the left time, held back by the right watermark") {
    val (left, right) = (batches(5, "abc"), batches(105, "abcd"))
    def sums(join: DataFrame) = join
      .groupBy(window(col("order_time"), "2 seconds"))
      .agg(count("*"), sum(col("amount") * col("rate")))
    def joined(o: DataFrame, r: DataFrame) = o.asOfJoin(r, Seq("currency"), how = "left")
    val run = checkKilled(
      sums(joined(keyedOrders(feed(left: _*).toDF()), keyedRates(feed(right: _*).toDF())))
    )
    assert(run.lateRows === Map.empty)
    def table(rows: Seq[Seq[Event]]) = rows.flatten.toDF()
    val wanted = sums(joined(orders(table(left.init)), rates(table(right))))
      .where("window IS NOT NULL")
      .collect()
      .map(KeyedStreamTest.text)
    assert(run.answer === wanted.toSeq.sorted)
  }

  test("a second as-of join on the time of the first; and the time of a version is none") {
    val (ins, others, more) = (feed(), feed(), feed())
    def twice = keyedOrders(ins.toDF())
      .asOfJoin(keyedRates(others.toDF()), Seq("currency"))
      .asOfJoin(
        more.toDF().toDF("currency", "fee_time", "fee").withKeyedWatermark("fee_time", "1 second"),
        Seq("currency"),
        rightTime = "fee_time",
        how = "left"
      )
    val run = harness(twice).start()
    ins.addData(event("a", 10, 1), event("a", 30, 2))
    others.addData(event("a", 9, 3), event("a", 11, 4), event("a", 50, 5))
    more.addData(event("a", 10, 6), event("a", 60, 7))
    run.settle()
    assert(run.answer === Seq("a|10|1|9|3|10|6", "a|30|2|11|4|10|6"))
    assert(
      intercept[AnalysisException](
        twice.orderByEventTime(eventTime = "rate_time")
      ).getMessage.contains("[TIDEGATE_ORDER_NOT_KEYED]")
    )
  }
}
