package tidegate
package own.order

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
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
  private def checkAs(plain: => DataFrame)(frame: => DataFrame): Unit = {
    val run = checkKilled(frame)
    assert(run.lateRows === Map.empty)
    assert(run.answer === harness(plain).start().settle().answer)
    assert(run.rows.nonEmpty)
  }

  private lazy val lefts = feed(leftRows: _*)
  private lazy val rights = feed(rightRows: _*)

  /** The operators of a chain have been tested by themselves on each store. */
  private def onStores(title: String)(body: => Unit): Unit = test(title)(onOne(body))

  onRocksDb("a window over an order, in a stream") {
    def frame = perWindow(ordered(orders(stream(left))), "order_time")
    assert(
      checkKills(frame).answer === harness(perWindow(ordered(orders(lefts.toDF())), "order_time"))
        .start()
        .settle()
        .answer
    )
  }

  onStores("an order alone puts out all rows that are not the last") {
    val run = checkKilled(ordered(orders(lefts.toDF())))
    assert(run.rows.map(_.getInt(0)).toSet === Set(1, 2, 3, 4, 5, 6, 7, 8, 9))
  }

  onStores("a window over an order") {
    checkAs(perWindow(orders(lefts.toDF()), "order_time")) {
      perWindow(ordered(orders(lefts.toDF())), "order_time")
    }
  }

  onStores("sliding windows over an order") {
    def sliding(rows: DataFrame) =
      rows.groupBy(window(col("order_time"), "20 seconds", "5 seconds"), col("id")).count()
    checkAs(sliding(orders(lefts.toDF()))) {
      sliding(ordered(orders(lefts.toDF())))
    }
  }

  onStores("deduplication over an order, and an order over deduplication") {
    def once(df: DataFrame) = df.dropDuplicates("id", "order_time")
    checkAs(ordered(once(orders(lefts.toDF()))))(once(ordered(orders(lefts.toDF()))))
  }

  onStores("an order over a window") {
    checkAs(perWindow(orders(lefts.toDF()), "order_time")) {
      perWindow(orders(lefts.toDF()), "order_time").orderByEventTime()
    }
  }

  onStores("an order on either side of a join, and one over it") {
    def joined(l: DataFrame, r: DataFrame) =
      l.streamJoin(r, Seq("id"), "leftOuter", within(10))
        .select("id", "order_time", "delivery_time")
    checkAs(joined(orders(lefts.toDF()), deliveries(rights.toDF()))) {
      joined(ordered(orders(lefts.toDF())), ordered(deliveries(rights.toDF())))
    }
    val run = checkKilled {
      joined(orders(lefts.toDF()), deliveries(rights.toDF()))
        .orderByEventTime(Seq("id"), eventTime = "order_time")
    }
    assert(run.lateRows === Map.empty)
    assert(run.rows.nonEmpty)
  }

  onStores("an order over a union waits for the slower branch") {
    val run = checkKilled {
      orders(lefts.toDF())
        .union(orders(rights.toDF()))
        .orderByEventTime()
    }
    assert(run.lateRows === Map.empty)
    val times = run.rows.map(_.getTimestamp(1).getTime)
    assert(times === times.sorted)
    assert(times.size === 22)
  }

  test("an operator on another time than that of the order before it is refused") {
    val twice = orders(lefts.toDF())
      .withColumn("paid", col("order_time") + expr("interval 1 second"))
      .withKeyedWatermark("paid", "2 seconds", key = 3, substream = Seq("sub"))
      .orderByEventTime(Seq("id"), "paid")
    val error = intercept[AnalysisException](twice.orderByEventTime(eventTime = "order_time"))
    assert(
      error.getMessage === "[TIDEGATE_KEY_NOT_AVAILABLE] The operator `orderByEventTime` runs on the " +
        "column `order_time` with the watermark key 0, but that key does not reach it: " +
        "orderByEventTime before it evicts rows by `paid`, when other times of a row may have " +
        "passed long ago; run on that time from there on, and select no other one. SQLSTATE: 42K0E"
    )
  }
}
