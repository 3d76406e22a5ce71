package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Joins of streams: each side on its own watermark. */
class JoinSuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "leftAnti, format",
    "fullOuter, format 2",
    "interval join on HDFSBacked",
    "equal times, format 2",
    "on the left: true, the other side has a watermark: false",
    "on the left: false, the other side has a watermark: true",
    "fullOuter, format"
  )

  private def joined(how: String)(read: Path => DataFrame): DataFrame = {
    val (l, r) = (orders(read(left)), deliveries(read(right), "4 seconds"))
    l.streamJoin(r, l("id") === r("id"), how, within(10))
  }

  /** Each type in the two formats that differ most, the widest type in all. */
  for (state <- joinStates) {
    val isWide = state.isOwn || Set(JoinState("HDFSBacked", 2), JoinState("RocksDB", 4))(state)
    val types = if (isWide) joinTypes else Seq("fullOuter")
    test(s"joins, ${types.mkString(", ")}, $state")(on(state) {
      checkBranches(types.map(how => how -> ((read: Path => DataFrame) => joined(how)(read))))
    })
  }

  private def onEqualTimes(how: String)(read: Path => DataFrame): DataFrame = {
    val (l, r) = (orders(read(left)), deliveries(read(right)))
    l.streamJoin(r, l("order_time") === r("delivery_time"), how)
  }

  for (state <- Seq(joinStates.head, joinStates.last))
    test(s"equal times, $state")(on(state) {
      checkAsBatch(onEqualTimes("fullOuter")(_))
    })

  test("equal times with a constant between them, which Spark does not read as a bound") {
    checkAsBatch { read =>
      val (l, r) = (orders(read(left)), deliveries(read(right)))
      l.streamJoin(
        r,
        l("id") === r("id") && r("delivery_time") - l("order_time") === expr("interval 1 second"),
        "leftOuter"
      )
    }
  }

  test("bounds in a filter above an inner join, and in one above an inner join above it") {
    val run = checkAsBatch { read =>
      val again = read(left)
        .select(col("n").as("id"), col("time").as("again"), col("sub"))
        .withKeyedWatermark("again", "2 seconds", key = 2, substream = Seq("sub"))
      orders(read(left))
        .join(deliveries(read(right)), "id")
        .filter("delivery_time >= order_time")
        .select(col("id"), col("order_time").as("ordered"), col("delivery_time"))
        .join(again, "id")
        .where("delivery_time <= ordered + interval 10 seconds and ordered = again")
    }
    assert(heldRows(run) < 12, "only what the last rows brought")
  }

  test("a bound on the same names, by names: the columns come out once") {
    val run = new Run(
      orders(stream(left)).streamJoin(deliveries(stream(right)), Seq("id"), "leftOuter", within(10))
    ).start().settle()
    assert(run.query.lastProgress != null)
    assert(
      run.rows.head.schema.fieldNames === Seq("id", "order_time", "sub", "delivery_time", "sub")
    )
  }

  test("rows without a time match nothing, are not late, and do not stay") {
    val in = (events(), events())
    def times(df: DataFrame) =
      df.withColumn("time", expr("nullif(time, timestamp '1970-01-01 00:00:07')"))
    val (l, r) = (orders(times(in._1.toDF())), deliveries(times(in._2.toDF())))
    val run = new Run(
      l.streamJoin(r, l("id") === r("id"), "fullOuter", within(10))
        .select("order_time", "delivery_time")
    ).start()
    in._1.addData(event("a", 7, 1), event("a", 5, 2))
    in._2.addData(event("a", 7, 1), event("a", 5, 2))
    run.settle()
    assert(run.take() === Seq("5|5", "null|null", "null|null"))
    in._1.addData(event("a", 100, 3))
    in._2.addData(event("a", 100, 4))
    run.settle()
    assert(run.take() === Nil)
    assert(heldRows(run) === 2)
    assert(run.lateRows === Map.empty)
  }

  test("an outer row leaves as soon as the bounds allow it, by the watermark of the other side") {
    val in = (events(), events())
    val (l, r) = (orders(in._1.toDF(), "1 hour"), deliveries(in._2.toDF()))
    val run = new Run(
      l.streamJoin(r, l("id") === r("id"), "leftOuter", within(10))
        .select("order_time", "delivery_time")
    ).start()
    in._1.addData(event("a", 20, 1))
    in._2.addData(event("a", 32, 2))
    run.settle()
    assert(run.take() === Nil, "a delivery at 30 s may still come")
    in._2.addData(event("a", 32.999, 2))
    run.settle()
    assert(run.take() === Nil)
    in._2.addData(event("a", 33, 2))
    run.settle()
    assert(run.take() === Seq("20|null"))
    // An hour of orders may still come: these deliveries wait for them.
    assert(heldRows(run) === 3)
  }

  test("a late row is dropped by the watermark of its own side, and counted there") {
    val in = (events(), events())
    val (l, r) = (orders(in._1.toDF(), "1 hour"), deliveries(in._2.toDF(), "0 seconds"))
    val run =
      new Run(l.streamJoin(r, l("id") === r("id"), "inner", within(10)).select("order_time"))
        .start()
    in._1.addData(event("a", 100, 1))
    in._2.addData(event("a", 105, 2))
    run.settle()
    in._1.addData(event("a", 96, 3), event("a", 97, 4))
    in._2.addData(event("a", 106, 3), event("a", 104, 4))
    run.settle()
    assert(run.answer === Seq("96"))
    assert(run.lateRows === Map("join.right" -> 1L))
  }

  test("EXISTS, IN and NOT EXISTS with bounds on the times are joins") {
    val within = "delivery_time BETWEEN order_time AND order_time + INTERVAL 10 SECONDS"
    val conditions = Seq(
      s"EXISTS (SELECT * FROM deliveries d WHERE d.id = o.id AND $within)",
      s"id % 2 = 0 AND id IN (SELECT id + 0 FROM deliveries WHERE id BETWEEN 1L AND 90 AND $within)",
      s"NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = o.id AND $within)",
      s"EXISTS (SELECT 1 FROM deliveries d WHERE d.id = o.id AND $within) AND " +
        s"NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id + 1 = o.id AND $within)"
    )
    spark.range(50).selectExpr("id", "id * 2 AS price").createOrReplaceTempView("prices")
    val priced =
      "SELECT *, (SELECT max(price) FROM prices p WHERE p.id = orders.id) AS price FROM orders"
    val texts = conditions.map(c => s"SELECT id, order_time FROM orders o WHERE $c") ++ Seq(
      "WITH d AS (SELECT * FROM deliveries) SELECT id, order_time FROM orders o " +
        s"WHERE EXISTS (SELECT 1 FROM d WHERE d.id = o.id AND $within)",
      s"SELECT id, order_time, price FROM ($priced) o WHERE ${conditions.head}",
      "SELECT id, order_time FROM orders o WHERE NOT EXISTS (SELECT 1 FROM orders p " +
        "WHERE p.id = o.id + 1 AND p.order_time BETWEEN o.order_time AND " +
        "o.order_time + INTERVAL 10 SECONDS)"
    )
    def joined(text: String)(read: Path => DataFrame) = {
      orders(read(left)).createOrReplaceTempView("orders")
      deliveries(read(right)).createOrReplaceTempView("deliveries")
      spark.sql(text)
    }
    checkBranches(texts.map(text => text -> (joined(text) _)))
    checkAsBatch(joined(texts.head) _)
  }

  test("a semi join finds a partner that comes in the batch in which it leaves") {
    // What the first file raises the watermark to is known in the batch of the second, for what
    // leaves; for what is late only in the one after it.
    val folder = files(Seq(event("a", 100, 1)), Seq(event("a", 5, 2)))
    withConf("spark.tidegate.closing" -> "nextBatch") {
      val run = new Run({
        val (l, r) = (orders(stream(folder)), deliveries(stream(folder)))
        l.streamJoin(r, l("id") === r("id"), "leftSemi", within(10)).select("order_time")
      }).start().settle()
      assert(run.answer === Seq("100", "5"))
    }
  }

  for (state <- Seq(joinStates.head, joinStates.last))
    test(s"rows with microseconds are not late after a join, $state")(on(state) {
      val in = (events(), events())
      val run = new Run({
        val times = in._1.toDF().withColumn("time", expr("time - interval 0.0005 seconds"))
        val (l, r) = (orders(times, "0 seconds"), deliveries(in._2.toDF(), "0 seconds"))
        l.streamJoin(r, l("id") === r("id"), "leftOuter", within(0))
          .select(l("id"), col("order_time"))
          .dropDuplicates("id", "order_time")
      }).start()
      in._1.addData(event("a", 10, 1), event("a", 20, 2))
      in._2.addData(event("a", 10, 9))
      run.settle()
      in._2.addData(event("a", 15, 9))
      run.settle()
      assert(run.rows.map(_.getInt(0)) === Seq(1))
      assert(run.lateRows === Map.empty)
    })

  test("a stream that is joined with itself, in the first batch and after") {
    val run = new Run({
      val one = orders(stream(left))
      val again = one.withColumnRenamed("order_time", "again").withColumnRenamed("id", "id2")
      one.join(again, expr("id = id2 and order_time = again")).select("id", "again")
    }).start().settle()
    assert(run.rows.size === 20)
  }

  for (isLeft <- Seq(true, false); isKeyed <- Seq(true, false))
    test(
      s"a join without times over one whose times are gone; on the left: $isLeft, " +
        s"the other side has a watermark: $isKeyed"
    ) {
      def query(read: Path => DataFrame): DataFrame = {
        val pairs = joined("inner")(read).toDF("id", "order_time", "l", "id2", "time", "r")
        val plain = read(right).select(col("n").as("id3"), col("time").as("third"))
        val third =
          if (isKeyed) plain.withKeyedWatermark("third", "2 seconds", key = 2) else plain
        val ids = (pairs.select("id"), third.select("id3"))
        val (one, other) = if (isLeft) ids else ids.swap
        one.join(other, expr("id = id3"))
      }
      checkBranches(Seq("pairs" -> (query(_))))
    }

  test("a bound between three streams, and one above a join with a table") {
    val dimension = spark.range(100).select(col("id").cast("int").as("dim"))
    val run = new Run({
      val (o, d) = (orders(stream(left)), deliveries(stream(right)).withColumnRenamed("id", "id2"))
      val third = stream(right)
        .select(col("n").as("id3"), col("time").as("third"))
        .withKeyedWatermark("third", "2 seconds", key = 2)
      o.join(d, expr("id = id2"))
        .join(dimension, expr("id = dim"))
        .where("delivery_time between order_time and order_time + interval 10 seconds")
        .join(
          third,
          expr(
            "id = id3 and order_time between third - interval 5 seconds and " +
              "delivery_time + interval 5 seconds and third >= order_time - interval 9 seconds"
          )
        )
        .select("id", "order_time", "third")
    }).start().settle()
    assert(run.rows.nonEmpty)
    assert(heldRows(run) <= 8, "only what the last rows brought")
  }

  test("three streams without bounds, and a side with two times") {
    checkAsBatch { read =>
      def again(time: String, key: Int) = read(left)
        .select(col("n").as("id"), col("time").as(time), col("sub").as(s"${time}_sub"))
        .withKeyedWatermark(time, "2 seconds", key = key, substream = Seq(s"${time}_sub"))
      val both = orders(read(left)).join(deliveries(read(right)), "id")
      both.join(again("again", 2), "id").select("id", "order_time", "delivery_time", "again")
    }
  }

  test("a side of an unbounded join drops late rows by its one time, and by none of two") {
    def lateRows(keys: Seq[Int]): Map[String, Long] = {
      val in = (events(), events())
      val rows: DataFrame = in._1.toDF().select(col("n").as("id"), col("time"))
      val l = keys.foldLeft(rows) { (df, key) =>
        df.withColumn(s"t$key", col("time")).withKeyedWatermark(s"t$key", "0 seconds", key = key)
      }
      val run =
        new Run(l.join(deliveries(in._2.toDF()), "id").select("time", "delivery_time")).start()
      in._1.addData(event("a", 100, 1))
      run.settle()
      in._1.addData(event("a", 50, 2))
      in._2.addData(event("a", 100, 1), event("a", 100, 2))
      run.settle()
      assert(run.answer === Seq("100|100") ++ Seq("50|100").filter(_ => keys.size > 1))
      run.stop()
      run.lateRows
    }
    assert(lateRows(Seq(0)) === Map("join.left" -> 1L))
    assert(lateRows(Seq(0, 2)) === Map.empty)
  }

  test("what needs no time runs after a join that cannot say how old its rows are") {
    val run = new Run(
      orders(stream(left))
        .drop("sub")
        .join(deliveries(stream(right)).select("id"), "id")
        .dropDuplicates("id")
        .select("id")
    ).start().settle()
    assert(run.answer === Seq("1", "3", "4", "5", "6", "7", "8"))
  }

  test("one side is silent: the other waits in the state, and can tell for what") {
    val in = (events(), events())
    val (l, r) = (orders(in._1.toDF()), deliveries(in._2.toDF()))
    val run =
      new Run(l.streamJoin(r, l("id") === r("id"), "leftOuter", within(10)).select("order_time"))
        .start()
    (1 to 5).foreach { i =>
      in._1.addData(event("a", i * 100.0, i))
      run.settle()
    }
    assert(run.rows === Nil)
    assert(heldRows(run) === 5)
    val operator = watermarks(run.query).operators("join.left")
    assert(operator.evictionHeldBackBy === Some("deliveries"))
    assert(operator.evictionWatermark === None)
    assert(operator.heldBackBy === "orders")
    assert(operator.watermark.map(_.toEpochMilli) === Some(498000L))
  }

  test("the state of an inner join without bounds grows, and the log says so") {
    val lines = LogLines.during(checks.CheckJoins.getClass.getName.stripSuffix("$")) {
      val run = new Run(orders(stream(left)).streamJoin(deliveries(stream(right)), Seq("id")))
      run.start().settle()
      assert(heldRows(run) === 26)
    }
    assert(lines.size === 1)
    assert(
      lines.head.contains("`order_time`") && lines.head.contains("`delivery_time`"),
      lines.head
    )
  }
}
