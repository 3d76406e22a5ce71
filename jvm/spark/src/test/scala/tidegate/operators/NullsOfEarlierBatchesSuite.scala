package tidegate
package operators

import scala.annotation.nowarn

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

/**
 * A union of a branch with a constant and of one whose rows have NULL there. In a batch without
 * rows of one branch, Spark's optimizer takes the column for not nullable; the state still has the
 * rows.
 */
class NullsOfEarlierBatchesSuite extends RestartTest {

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

  for {
    (types, constant, nulls) <- kinds
    (name, query) <- queries
    isScheduled <- Seq(false, true)
  } onBothStores(s"$name, $types${if (isScheduled) ", each batch by a run of its own" else ""}") {
    for (constantFirst <- Seq(true, false)) {
      val (constants, others) = (events(), events())
      val shown = query(united(constant, nulls)(constants.toDF(), others.toDF()))
        .select(
          col("r").cast("string"),
          coalesce(to_json(struct(col("k"))), lit("?")),
          (if (types == "structs") col("k.a") else col("k")).isNull
        )
      val run = new Run(shown)
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
      val found = run.rows.filter(r => r.getString(0) == s"$n" || r.getString(0) == s"[$n]")
      assert(found.nonEmpty)
      val json = if (types == "structs") "{\"k\":{}}" else "{}"
      assert(found.map(_.getString(1)).distinct === Seq(json))
      // Spark's optimizer knows the join as its own, and answers before a row is there.
      if (!name.contains("join")) assert(found.forall(_.getBoolean(2)), found)
    }
  }
}
