package tidegate
package own.order

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.operators.JoinTest

/**
 * Event-time order among other operators: killed at every moment, each query puts out the same rows
 * in the same batches, and nothing is late behind an order that was not late before it.
 */
class OrderChainSuite extends OrderTest with JoinTest {

  private def perWindow(rows: DataFrame, time: String): DataFrame =
    rows.groupBy(window(col(time), "20 seconds").as("window")).agg(count("*"))

  private def ordered(df: DataFrame): DataFrame = df.orderByEventTime(Seq("id"))

  /** Killed everywhere, without late rows, and with the rows of a query without the order. */
  private def checkAs(plain: => DataFrame)(frame: => DataFrame): Run = {
    val run = checkKills(frame)
    assert(run.lateRows === Map.empty)
    val expected = new Run(plain).start().settle()
    assert(run.answer === expected.answer)
    assert(run.rows.nonEmpty)
    expected.stop()
    run
  }

  onRocksDb("an order alone puts out all rows that are not the last") {
    val run = checkKills(ordered(orders(stream(left))))
    assert(run.rows.map(_.getInt(0)).toSet === Set(1, 2, 3, 4, 5, 6, 7, 8, 9))
  }

  onRocksDb("a window over an order") {
    checkAs(perWindow(orders(stream(left)), "order_time")) {
      perWindow(ordered(orders(stream(left))), "order_time")
    }
  }

  onRocksDb("sliding windows over an order") {
    def sliding(rows: DataFrame) =
      rows.groupBy(window(col("order_time"), "20 seconds", "5 seconds"), col("id")).count()
    checkAs(sliding(orders(stream(left)))) {
      sliding(ordered(orders(stream(left))))
    }
  }

  onRocksDb("deduplication over an order, and an order over deduplication") {
    def once(df: DataFrame) = df.dropDuplicates("id", "order_time")
    checkAs(ordered(once(orders(stream(left)))))(once(ordered(orders(stream(left)))))
  }

  onRocksDb("an order over a window") {
    checkAs(perWindow(orders(stream(left)), "order_time")) {
      perWindow(orders(stream(left)), "order_time").orderByEventTime()
    }
  }

  onRocksDb("an order on either side of a join, and one over it") {
    def joined(l: DataFrame, r: DataFrame) =
      l.streamJoin(r, Seq("id"), "leftOuter", within(10))
        .select("id", "order_time", "delivery_time")
    checkAs(joined(orders(stream(left)), deliveries(stream(right)))) {
      joined(ordered(orders(stream(left))), ordered(deliveries(stream(right))))
    }
    val run = checkKills {
      joined(orders(stream(left)), deliveries(stream(right)))
        .orderByEventTime(Seq("id"), eventTime = "order_time")
    }
    assert(run.lateRows === Map.empty)
    assert(run.rows.nonEmpty)
  }

  onRocksDb("an order over a union waits for the slower branch") {
    val run = checkKills {
      orders(stream(left))
        .union(orders(stream(right)))
        .orderByEventTime()
    }
    assert(run.lateRows === Map.empty)
    val times = run.rows.map(_.getTimestamp(1).getTime)
    assert(times === times.sorted)
    assert(times.size === 22)
  }

  onRocksDb("an order by one time, then one by another") {
    def twice(rows: DataFrame) = rows
      .withColumn("paid", col("order_time") + expr("interval 1 second"))
      .withKeyedWatermark("paid", "2 seconds", key = 3, substream = Seq("sub"))
    val run = checkKills {
      twice(orders(stream(left)))
        .orderByEventTime(Seq("id"), "paid")
        .orderByEventTime(eventTime = "order_time")
    }
    assert(run.lateRows === Map.empty)
    val times = run.rows.map(_.getTimestamp(1).getTime)
    assert(times.nonEmpty)
    assert(times === times.sorted)
  }
}
