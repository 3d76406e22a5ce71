package tidegate
package own.asof

import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.DataFrame
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
    test(s"$title: the rows of tables, with a restart before each batch, and over kills") {
      for ((stores, seed) <- inPairs(title.length)) on(stores) {
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

        val killed =
          checkKilled(join(keyedOrders(feed(left: _*).toDF()), keyedRates(feed(right: _*).toDF())))
        assert(killed.byBatch.values.flatten.toSeq.sorted === rows)
      }
    }
}
