package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/**
 * Keys with more rows than fit into one row of the state: every type of join, in both state stores,
 * with kills.
 */
class JoinChunksSuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "interval join on HDFSBacked: keys",
    "rightOuter join",
    "leftSemi join",
    "leftAnti join"
  )

  /** 100 orders in each 4 s, of one key, and a few of another one; then one that ends it all. */
  private def orderFiles: Path = files(batches(_ => true): _*)

  /** As the orders, but each third one. */
  private def deliveryFiles: Path = files(batches(_ % 3 == 0): _*)

  private def batches(isSent: Int => Boolean): Seq[Seq[Event]] =
    (0 until 5).map { batch =>
      val ofOne =
        for (i <- batch * 100 until (batch + 1) * 100 if isSent(i))
          yield event(if (i % 2 == 0) "a" else "b", i * 0.04, 1)
      ofOne ++ Seq(event("a", batch * 4.0 + 3.5, 2), event("b", batch * 4.0 + 3.5, 2))
    } :+ Seq(event("a", 99999, 99), event("b", 99999, 98))

  /** An order meets the delivery of the same time and the one 3.88 s later: two of three do. */
  private def joined(how: String, orders: Path, deliveries: Path)(
      read: Path => DataFrame
  ): DataFrame = {
    val (l, r) = (this.orders(read(orders)), this.deliveries(read(deliveries)))
    val apart = expr("pmod(unix_millis(delivery_time) - unix_millis(order_time), 3880) = 0")
    l.streamJoin(r, l("id") === r("id") && apart, how, within(5))
  }

  for (how <- joinTypes; state <- ownJoinStates)
    test(s"$how join, $state: keys with many rows, as in batch")(on(state) {
      val (orders, deliveries) = (orderFiles, deliveryFiles)
      val rows = checkBranches(Seq(how -> (joined(how, orders, deliveries)(_))))
      assert(rows(how).size > 100)
    })

  for (state <- ownJoinStates)
    test(s"the state of a key with many rows, $state: chunks beside its head")(on(state) {
      val (orders, deliveries) = (orderFiles, deliveryFiles)
      val run = new Run(joined("fullOuter", orders, deliveries)(stream(_)))
      run.failIn = _ == 4
      run.start().awaitEnd()
      val all = OwnJoins.stateRows(spark, run.checkpoint.toString).where("key.due_page IS NULL")
      assert(run.stateRows === all.count(), "the progress counts heads and chunks")
      val rows = all.where("key.id = 1")
      val chunks = rows.where("key.chunk IS NOT NULL")
      assert(chunks.count() >= 2)
      assert(chunks.where("size(value.left) + size(value.right) > 128").count() === 0)
      // At most the rows since the watermark that every batch follows.
      val held = rows.selectExpr("sum(size(value.left)) AS l", "sum(size(value.right)) AS r").head()
      assert(held.getLong(0) > 128)
      assert(held.getLong(0) > 2 * held.getLong(1))
      run.failIn = _ => false
      run.start().settle().stop()
      // Of the rows that end it all.
      assert(run.stateRows === 2)
    })

  for (state <- ownJoinStates)
    test(s"keys with the names of the state's own columns, $state: Spark finds each column")(
      on(state) {
        val folder = files(Seq(event("a", 1, 1), event("b", 2, 2)))
        val l = Seq("chunk", "due_at", "DUE_PAGE").foldLeft(orders(stream(folder))) { (df, name) =>
          df.withColumn(name, col("id"))
        }
        val r = deliveries(stream(folder)).withColumnRenamed("id", "rid")
        val equal = Seq("id", "chunk", "due_at", "DUE_PAGE").map(name => col(name) === col("rid"))
        val run = new Run(l.streamJoin(r, equal.reduce(_ && _), "inner", within(5)))
        run.start().settle().stop()
        assert(run.rows.size === 2)
        val state = OwnJoins.stateRows(spark, run.checkpoint.toString)
        val own = Set("id", "chunk_2", "due_at_2", "DUE_PAGE_2")
        assert(state.select("key.*").columns.toSet === own + "chunk" + "due_page")
        val entries = state.select("value.due.entries.*").columns.toSet
        assert(entries === own + "chunk" + "due_at")
        assert(state.where("key.due_page IS NULL").selectExpr("key.chunk_2").count() > 0)
      }
    )
}
