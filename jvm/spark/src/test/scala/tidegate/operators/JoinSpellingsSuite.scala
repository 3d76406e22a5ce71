package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, Column, DataFrame}

/** Joins whose bounds are written in other ways than as a comparison of two keyed times. */
class JoinSpellingsSuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "left outer joins of windows of which",
    "joins of unions of windows",
    "plain column, format 2",
    "inner joins of windows of which",
    "plain column, interval join",
    "joins of windows of other lengths"
  )

  private def sides(read: Path => DataFrame): (DataFrame, DataFrame) =
    (orders(read(left)), deliveries(read(right)).withColumnRenamed("id", "id2"))

  private type Query = (Path => DataFrame) => DataFrame

  /** Queries as branches of one; of each, the store has only what the last rows brought. */
  private def checkBounded(branches: Seq[(String, Query)], isBounded: Boolean = true): Unit =
    checkBranches(branches, isKilled = false, if (isBounded) 12 else Long.MaxValue): Unit

  /** Of a matrix every other cell, so that each row and column has some; at night all. */
  private def some[T](cells: Seq[Seq[T]]): Seq[T] =
    for ((row, i) <- cells.zipWithIndex; (cell, j) <- row.zipWithIndex if isToday(i + j))
      yield cell

  private def isToday(i: Int): Boolean = StateStoreKind.areAll || i % 2 == 0

  /**
   * Whether rows leave the state of an inner join if nothing but the state needs their time: the
   * optimizer takes the time for unused, and Spark's own join then has no column to go by.
   */
  protected def keepsUnusedTimes: Boolean = true

  private val spellings = Seq(
    "NOT (delivery_time < order_time OR delivery_time > order_time + INTERVAL 10 SECONDS)",
    "delivery_time >= order_time AND delivery_time <= timestampadd(SECOND, 10, order_time)"
  )

  private def spelled: Seq[(String, Query)] =
    for (condition <- spellings; how <- Seq("inner", "leftOuter", "fullOuter"))
      yield s"$how: $condition" -> { (read: Path => DataFrame) =>
        val (l, r) = sides(read)
        l.join(r, expr(s"id = id2 AND $condition"), how)
      }

  private val range = "delivery_time BETWEEN order_time AND order_time + INTERVAL 10 SECONDS"

  private def crossed: Seq[(String, Query)] = Seq(
    "a comparison with the time of the batch, which sets no bound" -> { read =>
      val (l, r) = sides(read)
      l.join(r, expr(s"id = id2 AND $range"))
        .where("order_time < current_timestamp() + INTERVAL 1000 DAYS")
    },
    "CROSS JOIN with the condition in WHERE" -> { read =>
      val (l, r) = sides(read)
      l.createOrReplaceTempView("o")
      r.createOrReplaceTempView("d")
      spark.sql(s"SELECT * FROM o CROSS JOIN d WHERE id = id2 AND $range")
    },
    "CROSS JOIN, in a chain of joins and as a call" -> { read =>
      val (l, r) = sides(read)
      val third = read(right)
        .select(col("n").as("id3"), col("time").as("third"))
        .withKeyedWatermark("third", "4 seconds", key = 2)
      l.crossJoin(r)
        .crossJoin(third)
        .where("id = id2 AND id = id3 AND delivery_time = order_time AND third = order_time")
    }
  )

  test("bounds in other words, and in the condition of CROSS JOIN")(
    checkBounded(spelled ++ crossed)
  )

  test("CROSS JOIN without bounds is as an inner join without") {
    withConf("spark.tidegate.join.unbounded" -> "error") {
      val error = intercept[AnalysisException](new Run({
        val (l, r) = sides(stream(_))
        l.crossJoin(r).where("id = id2")
      }).start())
      assert(
        error.getMessage.split(";\n").head ===
          "[TIDEGATE_JOIN_UNBOUNDED] The state of the INNER join of two streams grows without " +
          "limit: nothing bounds `delivery_time` of the right side by `order_time` of the left " +
          "side in both directions; add a condition such as delivery_time BETWEEN order_time - " +
          "INTERVAL 10 MINUTES AND order_time + INTERVAL 10 MINUTES, or join on equal times or " +
          "windows, or set spark.tidegate.join.timeToLive to how far they may be apart. SQLSTATE: 42K0E"
      )
    }
  }

  private def windowed(read: Path => DataFrame): (DataFrame, DataFrame) = {
    val (l, r) = sides(read)
    (
      l.groupBy(window(col("order_time"), "10 seconds").as("lw")).agg(count("*").as("ordered")),
      r.groupBy(window(col("delivery_time"), "10 seconds").as("rw")).agg(count("*").as("delivered"))
    )
  }

  private def windowsShown(how: String): Seq[(String, Query)] =
    for {
      (condition, shown) <- Seq(
        "lw.start = rw.start" -> "lw.start, rw.start, ordered, delivered",
        "lw.end = rw.end" -> "lw.end, rw.end, ordered, delivered",
        "lw = rw" -> "lw.start, rw.end, delivered"
      )
    } yield s"on $condition, of which $shown are shown" -> { (read: Path => DataFrame) =>
      val (l, r) = windowed(read)
      l.join(r, expr(condition), how).selectExpr(shown.split(", ").toSeq: _*)
    }

  private def windowsOfSql(how: String): Seq[(String, Query)] =
    for {
      shown <- Seq("l.window_start, r.window_start, lid, rid", "l.window_end, r.window_start", "*")
      // The columns of TUMBLE may be NULL where the time may be; those of HOP never are.
      windows <- Seq("TUMBLE", "HOP")
    } yield s"$windows on window_start, of which $shown are shown" -> { (read: Path => DataFrame) =>
      val lengths =
        "INTERVAL 10 SECONDS" + (if (windows == "HOP") ", INTERVAL 10 SECONDS" else "")
      val (l, r) = sides(read)
      l.withColumnRenamed("id", "lid").createOrReplaceTempView("lo")
      r.withColumnRenamed("id2", "rid").createOrReplaceTempView("rd")
      spark.sql(s"""SELECT $shown
        FROM $windows(TABLE lo, DESCRIPTOR(order_time), $lengths) l
        $how JOIN $windows(TABLE rd, DESCRIPTOR(delivery_time), $lengths) r
        ON lid = rid AND l.window_start = r.window_start""")
    }

  test("inner joins of windows of which some columns are shown")(
    checkBounded(windowsShown("inner") ++ windowsOfSql("INNER"), isBounded = keepsUnusedTimes)
  )

  test("left outer joins of windows of which some columns are shown")(
    checkBounded(windowsShown("leftOuter") ++ windowsOfSql("LEFT"))
  )

  test("INNER JOIN of windows that slide on window_start")(
    checkAsBatch(
      read => {
        val (l, r) = sides(read)
        l.withColumnRenamed("id", "lid").createOrReplaceTempView("lo")
        r.withColumnRenamed("id2", "rid").createOrReplaceTempView("rd")
        spark.sql("""SELECT l.window_start, l.window_end, lid, rid
        FROM HOP(TABLE lo, DESCRIPTOR(order_time), INTERVAL 10 SECONDS, INTERVAL 5 SECONDS) l
        JOIN HOP(TABLE rd, DESCRIPTOR(delivery_time), INTERVAL 10 SECONDS, INTERVAL 5 SECONDS) r
        ON lid = rid AND l.window_start = r.window_start""")
      },
      isKilled = false
    )
  )

  private def matrix(conditions: String*)(types: String*)(
      query: (String, String) => (String, Query)
  ): Seq[(String, Query)] =
    some(conditions.map(condition => types.map(how => query(condition, how))))

  private def equalWindows: Seq[(String, Query)] = matrix(
    "lw.start = rw.start",
    "lw.end = rw.end",
    "lw = rw",
    "lw.start = rw.start AND lw.end = rw.end"
  )("inner", "leftOuter", "fullOuter") { (condition, how) =>
    s"$how on $condition" -> { (read: Path => DataFrame) =>
      val (l, r) = windowed(read)
      l.join(r, expr(condition), how)
    }
  }

  private def ofOtherLengths: Seq[(String, Query)] = matrix(
    "lw.start = rw.start",
    "lw.end = rw.end",
    "lw.end = rw.start",
    "lw.end >= rw.end AND lw.end <= rw.end"
  )("inner", "leftOuter", "rightOuter", "fullOuter", "leftAnti") { (condition, how) =>
    s"$how of other lengths on $condition" -> { (read: Path => DataFrame) =>
      val (l, r) = sides(read)
      l.groupBy(window(col("order_time"), "10 seconds").as("lw"), col("id"))
        .count()
        .join(
          r.groupBy(window(col("delivery_time"), "30 seconds").as("rw"), col("id2"))
            .agg(count("*")),
          expr(s"id = id2 AND $condition"),
          how
        )
    }
  }

  test("joins of windows")(checkBounded(equalWindows))

  test("joins of windows of other lengths")(checkBounded(ofOtherLengths))

  /** Windows of several sizes, and windows of another size that close some batches later. */
  private def unionOfWindows(
      read: Path => DataFrame,
      sizes: Seq[Int],
      other: Int
  ): (DataFrame, DataFrame) = {
    val (l, r) = (orders(read(left)), deliveries(read(right), lag = "35 seconds"))
    val windows =
      for ((size, i) <- sizes.zipWithIndex)
        yield l
          .groupBy(window(col("order_time"), s"$size seconds").as("lw"))
          .agg(count("*").as("orders"))
          .withColumn("branch", lit(i))
    val others = r
      .groupBy(window(col("delivery_time"), s"$other seconds").as("rw"))
      .agg(count("*").as("deliveries"))
    (windows.reduce(_ union _), others)
  }

  private def unions: Seq[(String, Query)] =
    for {
      (sizes, other) <- Seq(Seq(10, 30) -> 30, Seq(30, 10) -> 10, Seq(30, 10, 30) -> 10)
      (how, equal) <- Seq(
        "inner" -> "lw.end = rw.end",
        "inner" -> "lw.start = rw.start AND lw.end = rw.end",
        "leftOuter" -> "lw.start = rw.start AND lw.end = rw.end",
        "leftOuter" -> "lw.end = rw.end"
      )
    } yield s"$how, ${sizes.mkString(", ")} s, on $equal" -> { (read: Path => DataFrame) =>
      val (l, r) = unionOfWindows(read, sizes, other)
      l.join(r, expr(equal), how)
    }

  test("joins of unions of windows of several sizes")(checkBounded(unions))

  /** Orders without a watermark: `ordered_at` is a plain column. */
  private def plain(df: DataFrame): DataFrame =
    df.select(col("n").as("id2"), col("time").as("ordered_at"))

  private val equal: Column = expr("id = id2 AND order_time = ordered_at")

  private def withPlain: Seq[(String, Query)] =
    joinTypes.map[(String, Query)] { how =>
      how -> (read => orders(read(left)).join(plain(read(left)), equal, how))
    } :+ ("a plain column on the left, and a constant between the two" -> {
      (read: Path => DataFrame) =>
        plain(read(left)).join(
          orders(read(left)),
          expr("id = id2 AND order_time = ordered_at - INTERVAL 1 SECOND"),
          "rightOuter"
        )
    })

  for (state <- Seq(joinStates.head, joinStates.last))
    test(s"joins of a time with a plain column, $state")(on(state)(checkBounded(withPlain)))

  test("a row of a plain column that comes too late is not late, and finds no partner") {
    val in = (events(), events())
    val run = new Run(
      orders(in._1.toDF()).join(plain(in._2.toDF()), equal, "fullOuter").select("id", "id2")
    ).start()
    in._1.addData(event("a", 5, 1), event("a", 100, 2))
    run.settle()
    assert(run.take() === Seq("1|null"))
    in._2.addData(event("a", 5, 1), event("a", 100, 2))
    run.settle()
    assert(run.take() === Seq("2|2", "null|1"))
    assert(run.lateRows === Map.empty)
    run.restart()
    in._1.addData(event("a", 200, 3))
    run.settle()
    assert(run.take() === Nil)
    assert(heldRows(run) === 1)
  }

  test("a plain column after a join that cannot say how old its rows are: an inner join runs") {
    val run = new Run({
      val unbounded = orders(stream(left))
        .drop("sub")
        .join(deliveries(stream(right)).select(col("id").as("id3")), expr("id = id3"))
      unbounded.join(plain(stream(left)), equal).select("id")
    }).start().settle()
    assert(run.answer.distinct === Seq("1", "3", "4", "5", "6", "7", "8"))
  }

  test("where other bounds limit a side, a plain copy of its time does not let rows leave early") {
    val in = (events(), events())
    val run = new Run({
      val delivered = deliveries(in._2.toDF())
        .withColumn("ordered_at", expr("delivery_time - INTERVAL 8 SECONDS"))
        .withColumnRenamed("id", "id2")
      orders(in._1.toDF())
        .join(
          delivered,
          equal && expr(
            "delivery_time BETWEEN order_time AND order_time + INTERVAL 10 SECONDS"
          ),
          "leftOuter"
        )
        .select("order_time", "delivery_time")
    }).start()
    in._1.addData(event("a", 5, 1), event("a", 100, 2))
    run.settle()
    in._2.addData(event("a", 13, 1))
    run.settle()
    assert(run.take() === Seq("5|13"))
  }
}
