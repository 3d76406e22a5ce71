package tidegate
package own.order

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Event-time order step by step: what is sent, and what leaves in which order. */
class OrderSuite extends OrderTest {

  private def ordered(rows: DataFrame): DataFrame = keyed(rows).orderByEventTime(Seq("sub"))

  scenario("rows leave by their time when the watermark has passed them")(ordered) {
    Seq(
      send(event("a", 3, 1), event("a", 1, 2), event("a", 5, 3)).gives(2, 1),
      send(event("a", 9, 4), event("a", 7, 5)).gives(3, 5),
      send(event("a", 20, 6)).gives(4)
    )
  }

  scenario("a row at the watermark waits: others of its time may come")(ordered) {
    Seq(
      send(event("a", 5, 1)).gives(),
      send(event("a", 5, 2)).gives(),
      send(event("a", 5.001, 3)).gives(),
      send(event("a", 6, 4)).gives(1, 2, 3)
    )
  }

  scenario("rows of one time leave by their arrival, in one batch and over several")(ordered) {
    Seq(
      send(event("a", 5, 9), event("a", 5, 8), event("a", 4, 7)).gives(7),
      send(event("a", 5, 6), event("a", 5, 5)).gives(),
      send(event("a", 5, 4), event("a", 6, 3), event("a", 5, 2)).gives(9, 8, 6, 5, 4, 2)
    )
  }

  scenario("a late row is dropped and counted", late = 2)(ordered) {
    Seq(
      send(event("a", 5, 1), event("a", 10, 2)).gives(1),
      send(event("a", 9.999, 3), event("a", 10, 4), event("a", 2, 5)).gives(),
      send(event("a", 11, 6)).gives(2, 4)
    )
  }

  scenario("a row without a time passes at once, before those that leave in its batch")(ordered) {
    Seq(
      send(withoutTime("a", 1), event("a", 2, 2)).gives(1),
      send(event("a", 3, 3), withoutTime("a", 4)).gives(4, 2),
      send(withoutTime("a", 5), withoutTime("a", 6)).gives(5, 6)
    )
  }

  scenario("times before 1970 come before those after it", late = 1)(ordered) {
    Seq(
      send(event("a", -3, 1), event("a", -7, 2), event("a", -5, 3)).gives(2, 3),
      send(event("a", 2, 4), event("a", -1, 5), event("a", -4, 6)).gives(1, 5),
      send(event("a", 4, 7), event("a", 3, 8)).gives(4, 8)
    )
  }

  scenario("the slowest substream decides when rows leave") { rows =>
    rows
      .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))
      .orderByEventTime()
  } {
    Seq(
      send(event("a", 1, 1), event("b", 9, 2)).gives(),
      send(event("a", 7, 3), event("b", 5, 4)).gives(1, 4),
      send(event("a", 20, 5)).gives(3)
    )
  }

  scenario("times without a time zone") { rows =>
    keyed(rows.withColumn("time", col("time").cast("timestamp_ntz"))).orderByEventTime(Seq("sub"))
  } {
    Seq(
      send(event("a", 3, 1), event("a", -1, 2), event("a", 5, 3)).gives(2, 1),
      send(event("a", 7, 4), withoutTime("a", 5)).gives(5, 3)
    )
  }

  scenario("the ends of windows are a time too") { rows =>
    keyed(rows)
      .groupBy(window(col("time"), "10 seconds"))
      .agg(count("*").cast("int").as("n"))
      .orderByEventTime()
  } {
    Seq(
      send(event("a", 12, 1), event("a", 3, 1), event("a", 15, 1), event("a", 21, 1)).gives(1, 2),
      send(event("a", 30, 1)).gives(1)
    )
  }

  // Three sensors, and a lag of two seconds: the row of the second one moves the watermark past the
  // first. An early row waits, one that comes too late is dropped.
  scenario("three sensors: on time, early and late", late = 1) { rows =>
    rows.withKeyedWatermark("time", "2 seconds").orderByEventTime()
  } {
    Seq(
      send(event("s1", 10, 1)).gives(),
      send(event("s2", 13, 2)).gives(1),
      send(event("s3", 9, 3)).gives(),
      send(event("s1", 15.5, 4)).gives(2),
      send(event("s2", 20, 5)).gives(4)
    )
  }

  test("the rows of each key are in order, those of all keys without partitionBy") {
    val rows = for (i <- 0 until 200) yield event(s"k${i % 7}", ((i * 37) % 100).toDouble, i)
    withConf("spark.sql.shuffle.partitions" -> "3") {
      for (keys <- Seq(Seq("sub"), Nil)) {
        val in = feed()
        val run = harness(keyed(in.toDF()).orderByEventTime(keys)).start()
        in.addData(rows)
        in.addData(event("k0", 1000, -1))
        val left = run.settle().rows.map(r => r.getString(0) -> r.getAs[Int]("n"))
        val expected = rows.sortBy(_.time.getTime).map(e => e.sub -> e.n)
        assert(left.groupBy(_._1) === expected.groupBy(_._1))
        if (keys.isEmpty) assert(left === expected)
      }
    }
  }

  test("keys that are equal are in one order: null, zeros and no numbers") {
    withConf("spark.sql.shuffle.partitions" -> "3") {
      val in = feed()
      val z = expr(
        "CASE n % 4 WHEN 0 THEN 0D WHEN 1 THEN -0.0D WHEN 2 THEN double('NaN') ELSE NULL END"
      )
      val run = harness(keyed(in.toDF()).withColumn("z", z).orderByEventTime(Seq("z"))).start()
      in.addData((0 until 40).map(i => event("a", ((i * 17) % 40).toDouble, i)))
      in.addData(event("a", 100, 3))
      val left = run.settle().rows.map { r =>
        val key = if (r.isNullAt(3)) "null" else r.getDouble(3).abs.toString
        key -> r.getTimestamp(1).getTime
      }
      assert(left.size === 40)
      left.groupMap(_._1)(_._2).foreach { case (key, times) =>
        withClue(key)(assert(times === times.sorted))
      }
    }
  }

  test("in a stream, with a restart and with a batch that fails before each step") {
    val in = events()
    val run = new Run(ordered(in.toDF()))
    val steps = Seq(
      send(event("a", 3, 1), event("a", 1, 2), event("a", 5, 3)).gives(2, 1),
      send(event("a", 9, 4), event("a", 7, 5), withoutTime("a", 6)).gives(6, 3, 5),
      send(event("a", 2, 7), event("a", 20, 8)).gives(4)
    )
    steps.foreach { step =>
      in.addData(step.sent)
      run.failIn = _ => true
      run.start().awaitEnd()
      run.failIn = _ => false
      assert(numbers(run.start().settle()) === step.left)
      run.stop()
    }
  }
}
