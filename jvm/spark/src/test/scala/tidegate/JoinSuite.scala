package tidegate

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Orders and deliveries, each with a watermark key of its own. */
trait JoinTest extends RestartTest {

  def orders(folder: Path, lag: String = "2 seconds"): DataFrame =
    stream(folder)
      .select(col("n").as("id"), col("time").as("order_time"), col("sub"))
      .withKeyedWatermark("order_time", lag, key = 0, substream = Seq("sub"), name = "orders")

  def deliveries(folder: Path, lag: String = "2 seconds"): DataFrame =
    stream(folder)
      .select(col("n").as("id"), col("time").as("delivery_time"), col("sub"))
      .withKeyedWatermark(
        "delivery_time",
        lag,
        key = 1,
        substream = Seq("sub"),
        name = "deliveries"
      )

  def within(seconds: Int): Between =
    Between("delivery_time", "order_time", "0 seconds", s"$seconds seconds")
}

/** Joins of streams: each side on its own watermark. */
class JoinSuite extends JoinTest {

  test("smoke") {
    val left = files(
      Seq(event("a", 5, 1), event("b", 3, 2)),
      Seq(event("a", 30, 3), event("b", 29, 4)),
      Seq(event("a", 60, 5), event("b", 60, 6)),
      Seq(event("a", 100, 7), event("b", 101, 8))
    )
    val right = files(
      Seq(event("a", 6, 1)),
      Seq(event("a", 31, 3), event("b", 41, 4)),
      Seq(event("a", 61, 5), event("b", 90, 6)),
      Seq(event("a", 101, 7), event("b", 103, 8))
    )
    val start = System.nanoTime
    val run = checkRestarts(
      orders(left)
        .streamJoin(deliveries(right), Seq("id"), "leftOuter", within(10))
        .select("id", "order_time", "delivery_time")
    )
    println(run.log.mkString("\n"))
    println(run.byBatch.toSeq.sortBy(_._1).mkString("\n"))
    println(s"${(System.nanoTime - start) / 1e9} s, ${run.lateRows}")
    run.start().settle()
    run.query.explain()
    println(QueryWatermarks.json(run.query))
  }
}
