package tidegate
package operators

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.SparkClasses.MemoryStream
import tidegate.builders.Between

/** Where several streams meet: what holds time back, and what idleness does. */
class UnionSuite extends JoinTest {

  private def keyed(in: MemoryStream[Event], name: String, key: Int = 0): DataFrame =
    in.toDF().withKeyedWatermark("time", "0 seconds", key, idleTimeout = "5 seconds", name = name)

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  private def seconds(run: Run, operator: String = "aggregate"): Option[Double] =
    watermarks(run.query).operators(operator).watermark.map(_.toEpochMilli / 1000.0)

  test("the minimum of both, and the name of the one that it is") {
    val (a, b) = (events(), events())
    val run = new Run(counts(keyed(a, "a").union(keyed(b, "b")))).start()
    a.addData(event("x", 45))
    run.settle()
    assert(seconds(run) === None)
    assert(watermarks(run.query).operators("aggregate").heldBackBy === "b")
    b.addData(event("x", 31))
    run.settle()
    assert(seconds(run) === Some(31.0))
    b.addData(event("x", 99))
    run.settle()
    assert(seconds(run) === Some(45.0))
    assert(watermarks(run.query).operators("aggregate").heldBackBy === "a")
  }

  test("an idle branch is left out, and comes back without going back in time, restarts included") {
    val (a, b) = (events(), events())
    val run = new Run(counts(keyed(a, "a").union(keyed(b, "b")))).start()
    a.addData(event("x", 12))
    b.addData(event("x", 11))
    run.settle()
    assert(seconds(run) === Some(11.0))
    run.clock.advance(4000)
    a.addData(event("x", 45))
    run.settle()
    run.clock.advance(1000)
    run.settle()
    assert(seconds(run) === Some(45.0))
    assert(run.take() === Seq("[10,20)|2"))
    run.restart().settle()
    assert(seconds(run) === Some(45.0))
    // Behind what was already forwarded: time stands, and a row of a closed window is late.
    b.addData(event("x", 20), event("x", 44))
    run.settle()
    assert(seconds(run) === Some(45.0))
    assert(watermarks(run.query).operators("aggregate").heldBackBy === "b")
    assert(run.lateRows === Map("aggregate" -> 1L))
    Seq(a, b).foreach(_.addData(event("x", 55)))
    run.settle()
    assert(run.take() === Seq("[40,50)|2"))
  }

  /** `join(scan1, scan2)` on equal times, as a stream of events with the key 0. */
  private def join(scan1: MemoryStream[Event], scan2: MemoryStream[Event]): DataFrame = {
    val (l, r) =
      (keyed(scan1, "scan1"), keyed(scan2, "scan2", key = 1).withColumnRenamed("time", "time2"))
    l.join(r, l("n") === r("n") && l("time") === r("time2")).select(l("sub"), l("time"), l("n"))
  }

  test("aggr(merge(join(scan1, scan2), scan3)): a join that is idle does not stop the aggregate") {
    val Seq(scan1, scan2, scan3) = Seq.fill(3)(events()): @unchecked
    val run = new Run(counts(join(scan1, scan2).union(keyed(scan3, "scan3")))).start()
    Seq(scan1, scan2, scan3).foreach(_.addData(event("x", 11)))
    run.settle()
    assert(seconds(run) === Some(11.0))
    run.clock.advance(4000)
    scan3.addData(event("x", 45))
    run.settle()
    assert(seconds(run) === Some(11.0))
    run.clock.advance(1000)
    run.settle()
    assert(seconds(run) === Some(45.0))
    assert(run.take() === Seq("[10,20)|2"))
    // Silence goes on over a restart.
    run.restart().settle()
    assert(seconds(run) === Some(45.0))
    run.clock.advance(4000)
    scan3.addData(event("x", 65))
    run.settle()
    assert(run.take() === Seq("[40,50)|1"))
  }

  test(
    "join(join(scan1, scan2), scan3): inner idle, the outer waits, keeps its rows and says why"
  ) {
    val Seq(scan1, scan2, scan3) = Seq.fill(3)(events()): @unchecked
    val run = new Run({
      val inner = join(scan1, scan2)
      val third = keyed(scan3, "scan3", key = 2).select(col("time").as("time3"), col("n"))
      inner.streamJoin(
        third,
        inner("n") === third("n"),
        "rightOuter",
        Between("time3", "time", "0 seconds", "10 seconds")
      )
    }).start()
    Seq(scan1, scan2, scan3).foreach(_.addData(event("x", 11)))
    run.settle()
    run.clear()
    run.clock.advance(5000)
    run.settle()
    (2 to 6).foreach { i =>
      scan3.addData(event("x", i * 20.0, i))
      run.settle()
    }
    assert(run.rows === Nil)
    val waiting = watermarks(run.query).operators("join-2.right")
    assert(waiting.evictionHeldBackBy.exists(Set("scan1", "scan2")))
    assert(waiting.watermark.map(_.toEpochMilli) === Some(120000L))
    assert(waiting.evictionWatermark.forall(_.toEpochMilli <= 11000L))
    // None of the rows of scan3 was lost: they find a partner when it comes.
    Seq(scan1, scan2).foreach(_.addData(event("x", 115, 6)))
    run.settle()
    assert(run.rows.exists(row => KeyedStreamTest.text(row).contains("120")))
  }
}
