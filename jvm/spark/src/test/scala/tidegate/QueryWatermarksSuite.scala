package tidegate

import java.time.Instant

import org.apache.spark.sql.functions._

class QueryWatermarksSuite extends KeyedStreamTest {

  private def second(n: Long): Option[Instant] = Some(Instant.ofEpochSecond(n))

  test("all that a query tells: its keyed watermarks and its stateful operators") {
    val in = events()
    val run = new Run(
      in.toDF()
        .withKeyedWatermark("time", "1 second", key = 3, substream = Seq("sub"), name = "orders")
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    ).start()
    assert(watermarks(run.query).watermarks.values.forall(_.watermark.isEmpty))
    in.addData(event("a", 31), event("b", 21))
    run.settle()
    in.addData(event("b", 5))
    run.settle()
    val orders = WatermarkStatus(
      key = 3,
      watermark = second(20),
      idle = false,
      eventTime = "time",
      heldBackBy = Some("b"),
      futureEvents = 0,
      substreams = Map(
        "a" -> SubstreamStatus(second(30), idle = false),
        "b" -> SubstreamStatus(second(20), idle = false)
      )
    )
    val aggregate = OperatorStatus(
      key = 3,
      watermark = second(20),
      idle = false,
      eventTime = "window",
      heldBackBy = "orders",
      evictionWatermark = second(20),
      evictionHeldBackBy = Some("orders"),
      lateRows = 1,
      partlyLateRows = 0,
      partlyLateWindows = 0
    )
    assert(
      watermarks(run.query) ===
        QueryWatermarks(Map("orders" -> orders), Map("aggregate" -> aggregate))
    )
  }
}
