package tidegate
package operators

import scala.annotation.nowarn

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Column, DataFrame}

/**
 * A union of a branch with a constant and of one whose rows have NULL there. In a batch without
 * rows of one branch, Spark's optimizer takes the column for not nullable; the state still has the
 * rows.
 */
class NullsOfEarlierBatchesSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq(
    "run of its own; the constant comes first: true",
    "stay NULLs; the constant comes first: false",
    "each batch by a run of its own",
    "left join: what",
    "sessions: functions",
    "that do not overlap: functions"
  )

  @nowarn("cat=deprecation")
  private val oneBatch = Trigger.Once()

  private val kinds: Seq[(String, String, String)] = Seq(
    ("numbers", "0", "cast(nullif(n, n) as int)"),
    ("text", "'eu'", "nullif(sub, sub)"),
    ("structs", "struct('eu' as a)", "struct(nullif(sub, sub) as a)")
  )

  private def united(constant: String, nulls: String)(a: DataFrame, b: DataFrame): DataFrame =
    a.select(expr(constant).as("k"), col("time"), col("n"))
      .union(b.select(expr(nulls).as("k"), col("time"), col("n")))
      .withKeyedWatermark("time", "2 seconds")

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "windows of words" -> { df =>
      df.groupBy(window(col("time"), "20 seconds", "10 seconds"), col("k")).agg(sum("n").as("r"))
    },
    "windows of objects" -> { df =>
      df.groupBy(window(col("time"), "20 seconds", "10 seconds"), col("k"))
        .agg(collect_list("n").as("r"))
    },
    "windows that do not overlap" -> { df =>
      df.groupBy(window(col("time"), "10 seconds"), col("k")).agg(sum("n").as("r"))
    },
    "sessions" -> { df =>
      df.groupBy(session_window(col("time"), "5 seconds"), col("k")).agg(sum("n").as("r"))
    },
    "event-time order" -> (df => df.orderByEventTime().toDF().withColumnRenamed("n", "r")),
    "an outer join" -> { df =>
      val in = events()
      in.addData(event("a", 9999, 7))
      val others = in
        .toDF()
        .select(col("time").as("other"), col("n").as("m"))
        .withKeyedWatermark("other", "2 seconds", key = 1)
      df.join(others, expr("n = m AND other BETWEEN time AND time + INTERVAL 5 SECONDS"), "left")
        .withColumnRenamed("n", "r")
    }
  )

  /**
   * Whether the constant comes first. Each query has both, one of them in scheduled runs; with
   * `-Dtidegate.stores=all` both in all runs.
   */
  private def orders(name: String, isScheduled: Boolean): Seq[Boolean] = {
    val isEven = queries.indexWhere(_._1 == name) % 2 == 0
    if (StateStoreKind.areAll) Seq(true, false) else Seq(isEven == isScheduled)
  }

  private def shown(a: DataFrame, b: DataFrame, isShown: String => Boolean): DataFrame =
    Branches.of(
      for {
        (types, constant, nulls) <- kinds
        (name, query) <- queries if isShown(name)
      } yield s"$name, $types" -> query(united(constant, nulls)(a, b)).select(
        col("r").cast("string"),
        coalesce(to_json(struct(col("k"))), lit("?")),
        (if (types == "structs") col("k.a") else col("k")).isNull
      )
    )

  for {
    isScheduled <- Seq(false, true)
    constantFirst <- Seq(true, false)
  } onBothStores(
    s"NULLs stay NULLs${if (isScheduled) ", each batch by a run of its own" else ""}; the constant " +
      s"comes first: $constantFirst"
  ) {
    val (constants, others) = (events(), events())
    val run = new Run(
      shown(constants.toDF(), others.toDF(), orders(_, isScheduled).contains(constantFirst))
    )
    if (!isScheduled) run.start()
    val (first, second) = if (constantFirst) (constants, others) else (others, constants)
    Seq(
      first -> 1,
      second -> 2,
      constants -> 60,
      constants -> 99,
      constants -> 150,
      others -> 200
    ).foreach { case (in, second) =>
      in.addData(event("a", second.toDouble, second))
      // Without batches without data in between, which would close what is due.
      if (isScheduled) run.start(oneBatch).awaitEnd()
      else run.restart().settle()
    }
    run.stop()
    val n = if (constantFirst) 2 else 1
    val answers = Branches.answers(run.rows)
    for {
      (types, _, _) <- kinds
      (name, _) <- queries if orders(name, isScheduled).contains(constantFirst)
    } withClue(s"$name, $types: ") {
      val found = answers(s"$name, $types").filter(r => r.matches(s"\\[?$n\\]?\\|.*"))
      val json = if (types == "structs") "{\"k\":{}}" else "{}"
      assert(found.nonEmpty)
      assert(found.map(_.split('|').toSeq.tail).distinct === Seq(Seq(json, "true")))
    }
  }

  /** In the first batch there is only a row with NULL, in the second only one with a constant. */
  private def halves(inBatches: Boolean)(query: (DataFrame, DataFrame) => DataFrame)(
      send: ((Double, Int) => Unit, (Double, Int) => Unit, Run) => Unit
  ): Seq[String] = {
    val (constants, others) = (events(), events())
    def branch(of: DataFrame, k: String) = of.select(expr(k).as("k"), col("n"), col("time"))
    val run = new Run(
      query(branch(constants.toDF(), "0"), branch(others.toDF(), "cast(nullif(n, n) as int)"))
    )
    run.start()
    def to(in: SparkClasses.MemoryStream[Event])(second: Double, n: Int): Unit = {
      in.addData(event("a", second, n))
      if (inBatches) run.settle(): Unit
    }
    send(to(others), to(constants), run)
    run.settle().stop()
    run.answer
  }

  private val grouped: Seq[(String, Column)] = Seq(
    "windows that slide" -> window(col("time"), "20 seconds", "10 seconds"),
    "windows that do not overlap" -> window(col("time"), "20 seconds"),
    "sessions" -> session_window(col("time"), "15 seconds")
  )

  for ((name, by) <- grouped)
    onBothStores(s"$name: functions of a column that may be NULL are the same in each batch") {
      val found = for (inBatches <- Seq(true, false)) yield halves(inBatches) { (a, b) =>
        a.union(b)
          .withKeyedWatermark("time", "2 seconds")
          .groupBy(by, col("n"))
          .agg(
            count("*"),
            count("k"),
            count(when(col("k").isNull, 1)),
            sum(coalesce(col("k"), lit(5))),
            sum("k"),
            sort_array(collect_list(coalesce(col("k"), lit(7))))
          )
      } { (withNull, constant, _) =>
        withNull(1, 1)
        constant(2, 1)
        withNull(3, 1)
        constant(200, 2)
      }
      assert(found.head.exists(_.contains("|1|3|1|2|10|0|")), found.head)
      assert(found.head === found.last)
    }

  private def joined(condition: String, how: String)(
      inBatches: Boolean
  )(shown: DataFrame => DataFrame): Seq[String] = {
    val right = events()
    val other = right
      .toDF()
      .select(col("n").as("m"), col("time").as("other"))
      .withKeyedWatermark("other", "2 seconds", key = 1)
    halves(inBatches) { (a, b) =>
      val left = a.union(b).withColumn("j", col("n") + 6).withKeyedWatermark("time", "2 seconds")
      shown(
        left.join(
          other,
          expr(s"$condition AND other BETWEEN time AND time + INTERVAL 5 SECONDS"),
          how
        )
      )
    } { (withNull, constant, _) =>
      withNull(1, 1)
      right.addData(event("b", 2, 1))
      constant(2, 9)
      withNull(3, 4)
      right.addData(event("b", 200, 99))
      constant(200, 8)
    }
  }

  for (how <- Seq("inner", "left", "full"))
    onBothStores(
      s"$how join: what is shown of a column that may be NULL is the same in each batch"
    ) {
      val found = for (inBatches <- Seq(true, false)) yield joined("n = m", how)(inBatches) {
        _.select(coalesce(col("k"), col("j")).as("kj"), col("n"), col("m"))
      }
      assert(found.head.contains("7|1|1"), found.head)
      assert(found.head === found.last)
    }

  onBothStores("a condition on a column that may be NULL is the same in each batch") {
    val found =
      for (inBatches <- Seq(true, false))
        yield joined("n = m AND k >= -5", "left")(
          inBatches
        )(_.select("n", "m"))
    assert(found.head.contains("1|null"), found.head)
    assert(found.head === found.last)
  }

  onBothStores("a filter that is true of the rows of one batch leaves no row out") {
    val found = for (inBatches <- Seq(true, false)) yield {
      val right = events()
      val other = right
        .toDF()
        .select(col("n").as("m"), col("time").as("other"))
        .withKeyedWatermark("other", "2 seconds", key = 1)
      val (constants, others) = (events(), events())
      val left = constants
        .toDF()
        .select(lit(0).as("k"), col("time"))
        .union(others.toDF().select(col("n").as("k"), col("time")))
        .withKeyedWatermark("time", "2 seconds")
      val run = new Run(
        left
          .join(other, expr("k = m AND other BETWEEN time AND time + INTERVAL 5 SECONDS"))
          .select("k", "m")
      ).start()
      def settle() = if (inBatches) run.settle(): Unit
      others.addData(event("a", 1, 3))
      settle()
      constants.addData(event("a", 2))
      right.addData(event("b", 2, 3), event("b", 2, 0))
      run.settle().stop()
      run.answer
    }
    assert(found === Seq(Seq("0|0", "3|3"), Seq("0|0", "3|3")))
  }
}
