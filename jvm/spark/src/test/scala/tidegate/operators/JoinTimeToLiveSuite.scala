package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Inner joins without bounds, in a session that has a time to live for their rows. */
class JoinTimeToLiveSuite extends JoinTest {

  private val TimeToLive = "spark.tidegate.join.timeToLive"

  /** As in batch with bounds, which the stream does not have. */
  private def check(ttl: String)(query: (Path => DataFrame) => DataFrame)(bounds: String): Run = {
    val batch = query(table).where(bounds).collect().toSeq
    withConf(TimeToLive -> ttl)(checkAsBatch(query, batch, isKilled = true))
  }

  test("rows whose times are further apart do not meet, and leave") {
    val run = check("9 seconds") { read =>
      orders(read(left)).join(deliveries(read(right)), "id").drop("sub")
    }("abs(timestampdiff(SECOND, order_time, delivery_time)) <= 9")
    assert(heldRows(run) < 6, "only what the last rows brought")
  }

  private def three(read: Path => DataFrame): DataFrame = {
    val again = read(left)
      .select(col("n").as("id"), col("time").as("again"))
      .withKeyedWatermark("again", "2 seconds", key = 2)
    orders(read(left), "30 seconds")
      .join(deliveries(read(right)), "id")
      .select("id", "order_time", "delivery_time")
      .join(again, "id")
  }

  test("three streams: no two times are further apart, and the times go on behind the joins") {
    val run = check("9 seconds")(three(_))(
      Seq("order_time", "delivery_time", "again")
        .combinations(2)
        .map(pair => s"abs(timestampdiff(SECOND, ${pair.mkString(", ")})) <= 9")
        .mkString(" AND ")
    )
    assert(heldRows(run) < 10, "only what the last rows brought")
  }

  test("a window over a time of the join") {
    def counted(joined: DataFrame): DataFrame =
      joined.groupBy(window(col("order_time"), "10 seconds")).count()
    def joined(read: Path => DataFrame): DataFrame =
      orders(read(left)).join(deliveries(read(right)).drop("sub"), "id")
    val batch = counted(
      joined(table(_)).where("abs(timestampdiff(SECOND, order_time, delivery_time)) <= 9")
    ).collect().toSeq
    withConf(TimeToLive -> "9 seconds") {
      checkAsBatch(read => counted(joined(read)), batch, isKilled = false)
    }
  }

  test("bounds of the query's own stay, and a join without a time of both sides only warns") {
    val wide = (read: Path => DataFrame) =>
      orders(read(left)).streamJoin(
        deliveries(read(right)).drop("sub"),
        Seq("id"),
        "inner",
        within(40)
      )
    withConf(TimeToLive -> "1 second")(checkAsBatch(wide(_)))
    val untimed = (read: Path => DataFrame) =>
      orders(read(left)).join(deliveriesOf(read(right)).drop("sub"), "id")
    withConf(TimeToLive -> "1 second")(checkAsBatch(untimed(_), isKilled = false))
  }

  test("it may come, and go, when a query goes on") {
    def joined = orders(stream(left)).join(deliveries(stream(right)).drop("sub"), "id")
    val run = new Run(joined).start().settle()
    val all = run.take()
    run.stop()
    withConf(TimeToLive -> "9 seconds") {
      val again = new Run(joined, run.checkpoint).start().settle()
      assert(again.take() === Nil)
      again.stop()
    }
    assert(new Run(joined, run.checkpoint).start().settle().take() === Nil)
    assert(all.nonEmpty)
  }
}
