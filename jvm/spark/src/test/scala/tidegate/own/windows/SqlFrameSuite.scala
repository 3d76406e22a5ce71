package tidegate
package own.windows

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.functions._

/** Sliding windows in SQL, and what stands between the windows and their aggregation. */
class SqlFrameSuite extends FrameScenarioTest {

  override protected def atNight: Seq[String] = Seq(
    "window: NOT EXISTS",
    "window: IN",
    "window: a key",
    "tuple_sketch_agg",
    "theta_sketch_agg in windows that do not",
    "HOP in a view",
    "projections between",
    "that a filter removes"
  )

  private val grouped = s"FROM $hop GROUP BY window_start, window_end"

  private val rows = Seq(
    send(event("a", 100, 1), event("b", 100, 2), event("a", 101, -1)).givesNothing
  )

  private def twice(answer: String): Seq[String] = Seq(s"95|105|$answer", s"100|110|$answer")

  private def gives(answer: String*): Seq[Step] = rows :+ send(event("a", 120)).gives(answer: _*)

  scenario("HOP in a statement")(
    sql(s"SELECT window_start, window_end, count(*), sum(n) $grouped")
  )(
    gives(twice("3|2"): _*)
  )

  scenario("HOP in a view") { df =>
    sql(s"CREATE OR REPLACE TEMPORARY VIEW hops AS SELECT * FROM $hop")(df)
    spark.sql(
      "SELECT window_start, window_end, count(*) FROM hops GROUP BY window_start, window_end"
    )
  }(gives(twice("3"): _*))

  scenario("HOP and its aggregation in a view") { df =>
    sql(s"""CREATE OR REPLACE TEMPORARY VIEW totals AS
      SELECT window_start, window_end, sum(n) AS total $grouped""")(df)
    spark.sql("SELECT window_start, window_end, total + 1 FROM totals")
  }(gives(twice("3"): _*))

  scenario("HOP in a common table expression")(sql(s"""WITH h AS (SELECT * FROM $hop)
    SELECT window_start, window_end, count(*) FROM h GROUP BY window_start, window_end"""))(
    gives(twice("3"): _*)
  )

  scenario("HAVING keeps some of the groups")(
    sql(s"SELECT window_start, window_end, sub, count(*) $grouped, sub HAVING count(*) > 1")
  )(gives(twice("a|2"): _*))

  scenario("expressions over aggregates")(
    sql(s"SELECT window_start, window_end, sum(n) / count(*) + 1, max(n) - min(n) $grouped, sub")
  )(gives(twice("1.0|2") ++ twice("3.0|0"): _*))

  scenario("grouped by the start alone")(
    sql(s"SELECT window_start, count(*) FROM $hop GROUP BY window_start")
  )(gives("95|3", "100|3"))

  scenario("grouped by the end alone")(
    sql(s"SELECT window_end, count(*) FROM $hop GROUP BY window_end")
  )(gives("105|3", "110|3"))

  scenario("grouped by start, end and time")(
    sql(s"SELECT window_start, window_time, count(*) $grouped, window_time")
  )(gives("95|104.999|3", "100|109.999|3"))

  scenario("two chained windows")(sql(s"""SELECT window_start, window_end, sum(c) FROM TUMBLE(
      TABLE(SELECT window_time, count(*) AS c $grouped, window_time),
      DESCRIPTOR(window_time), 20 seconds) GROUP BY window_start, window_end"""))(
    rows ++ Seq(
      send(event("a", 131)).gives("100|120|6"),
      send(event("a", 170)).gives("120|140|2")
    )
  )

  scenario("a filter on the rows of the windows")(
    sql(s"""SELECT window_start, window_end, count(*) FROM $hop WHERE n > 0
      GROUP BY window_start, window_end""")
  )(gives(twice("2"): _*))

  scenario("rows that a filter removes are late all the same", late = 1)(
    sql(s"""SELECT window_start, window_end, count(*) FROM $hop WHERE n > 0
      GROUP BY window_start, window_end""")
  )(gives(twice("2"): _*) :+ send(event("a", 100, -1)).givesNothing)

  scenario("a filter on the windows")(
    sql(s"""SELECT window_start, window_end, count(*) FROM $hop
      WHERE window_end > timestamp_seconds(105) GROUP BY window_start, window_end""")
  )(gives("100|110|3"))

  scenario("a filter on a row and its window", frames = false)(
    sql(s"""SELECT window_start, window_end, count(*) FROM $hop
      WHERE time > window_start + INTERVAL 5 SECONDS GROUP BY window_start, window_end""")
  )(gives("95|105|1"))

  scenario("an aggregate of a row and its window", frames = false)(
    sql(s"""SELECT window_start, window_end, sum(unix_seconds(time) - unix_seconds(window_start))
      $grouped""")
  )(gives("95|105|16", "100|110|1"))

  scenario("projections between the windows and the aggregation")(
    sql(s"""SELECT till, k, sum(m) FROM (
        SELECT window_end AS till, upper(sub) AS k, n * 2 AS m FROM $hop
      ) GROUP BY till, k""")
  )(gives("105|A|0", "105|B|4", "110|A|0", "110|B|4"))

  scenario("a column and a filter with the time of the batch")(
    sql(s"""SELECT window_start, window_end, count(later) FROM
      (SELECT *, current_timestamp() AS later FROM $hop WHERE time < current_timestamp())
      GROUP BY window_start, window_end""")
  )(gives(twice("3"): _*))

  scenario("a filter on the window and the time of the batch", frames = false)(
    sql(s"""SELECT window_start, window_end, count(*) FROM $hop
      WHERE window_end < current_timestamp() GROUP BY window_start, window_end""")
  )(gives(twice("3"): _*))

  scenario("a column of the window and the time of the batch", frames = false)(
    sql(s"""SELECT window_start, window_end, is_past, count(*) FROM
      (SELECT *, window_end < current_timestamp() AS is_past FROM $hop)
      GROUP BY window_start, window_end, is_past""")
  )(gives(twice("true|3"): _*))

  /** Sketches that merge nothing into what they have read from the state. */
  private val sketches = Seq(
    "theta_sketch_agg" -> "theta_sketch_estimate(theta_sketch_agg(n))",
    "tuple_sketch_agg_double" -> "tuple_sketch_estimate_double(tuple_sketch_agg_double(n, 1.0D))",
    "tuple_sketch_agg_integer" -> "tuple_sketch_estimate_integer(tuple_sketch_agg_integer(n, 1))"
  )

  for {
    (function, estimate) <- sketches
    // Spark has theirs since 4.1, and since 4.2.
    if FunctionRegistry.builtin.functionExists(FunctionIdentifier(function))
  } {
    val sketch = s"CAST($estimate AS BIGINT)"
    val times = Seq(100, 102, 104, 104, 106, 108)
    val (one, other) = times.zipWithIndex.map { case (t, n) => event("a", t, n) }.splitAt(3)
    def distinct(answer: (Int, Int)*) = Seq(
      send(one: _*).givesNothing,
      send(other: _*).givesNothing,
      send(event("a", 200)).gives(answer.map { case (from, n) => s"[$from,${from + 10})|$n" }: _*)
    )
    // No window closes before the last row.
    def waiting(df: DataFrame) = df.withKeyedWatermark("time", "20 seconds")
    def windows(slide: Int)(df: DataFrame) =
      waiting(df).groupBy(window(col("time"), "10 seconds", s"$slide seconds")).agg(expr(sketch))
    scenario(s"$function in windows that slide")(windows(2))(
      distinct(
        (92 to 108 by 2).map(from => from -> times.count(t => t >= from && t < from + 10)): _*
      )
    )
    scenario(s"$function in windows that do not overlap")(windows(10))(distinct(100 -> 6))
    scenario(s"$function in sessions", frames = false)(
      waiting(_)
        .groupBy(session_window(col("time"), "2500 milliseconds"), col("sub"))
        .agg(expr(sketch))
    )(
      distinct().init :+ send(event("a", 200)).gives("[100,110.5)|a|6")
    )
  }

  for (
    (title, condition, answers) <- Seq(
      ("EXISTS", "EXISTS (SELECT * FROM starts WHERE start = window_start)", Seq("95|105|3")),
      (
        "NOT EXISTS",
        "NOT EXISTS (SELECT * FROM starts WHERE start = window_start)",
        Seq("100|110|3")
      ),
      ("IN", "n IN (SELECT m FROM starts WHERE start = window_start)", Seq("95|105|1")),
      ("IN, without the window", "window_start IN (SELECT start FROM starts)", Seq("95|105|3"))
    )
  ) scenario(s"a subquery that refers to the window: $title", frames = title.contains("without")) {
    df =>
      spark
        .sql("SELECT timestamp_seconds(95) AS start, 1 AS m")
        .createOrReplaceTempView("starts")
      sql(s"""SELECT window_start, window_end, count(*) FROM $hop WHERE $condition
        GROUP BY window_start, window_end""")(df)
  }(gives(answers: _*))

  scenario("a subquery that refers to the window: a column", frames = false) { df =>
    spark
      .sql("SELECT timestamp_seconds(95) AS start, 'first' AS name")
      .createOrReplaceTempView("starts")
    sql(s"""SELECT window_start, window_end, name, count(*) FROM (SELECT *,
        (SELECT max(name) FROM starts WHERE start = window_start) AS name FROM $hop)
      GROUP BY window_start, window_end, name""")(df)
  }(gives("95|105|first|3", "100|110|null|3"))

  scenario("a subquery that refers to the window: a key", frames = false) { df =>
    spark
      .sql("SELECT timestamp_seconds(95) AS start, 'first' AS name")
      .createOrReplaceTempView("starts")
    val name = "(SELECT max(name) FROM starts WHERE start = window_start)"
    sql(s"""SELECT window_start, window_end, $name, count(*) FROM $hop
      GROUP BY window_start, window_end, $name""")(df)
  }(gives("95|105|first|3", "100|110|null|3"))

  scenario("a join with a table between the windows and the aggregation", frames = false) { df =>
    spark
      .sql("SELECT * FROM VALUES ('a', 'Anna'), ('a', 'Axel') AS t (id, name)")
      .createOrReplaceTempView("names")
    sql(s"""SELECT window_start, window_end, name, count(*) FROM $hop JOIN names ON sub = id
      GROUP BY window_start, window_end, name""")(df)
  }(gives(twice("Anna|2") ++ twice("Axel|2"): _*))

  scenario("windows of a DataFrame with a filter behind them")((df: DataFrame) =>
    ordered(df)
      .select(tens.as("w"), col("n"))
      .where("n > 0")
      .groupBy("w")
      .agg(count("*"), sum("n"))
  )(gives("[95,105)|2|3", "[100,110)|2|3"))

  scenario("the start and the end of Spark's window")((df: DataFrame) =>
    ordered(df)
      .groupBy(tens)
      .agg(sum("n").as("s"))
      .select(col("window.end"), col("s"), col("window.start"))
  )(gives("105|2|95", "110|2|100"))

  scenario("constant keys that are in the plan of the window and of a result too")(
    (df: DataFrame) =>
      ordered(df)
        .groupBy(lit("start").as("kind"), lit(2).as("version"), tens)
        .agg(round(avg("n"), 2), max(struct(lit(2), col("n"))))
  )(gives("start|2|[95,105)|0.67|[2,2)", "start|2|[100,110)|0.67|[2,2)"))

  scenario("a constant key in a statement")(
    sql(s"SELECT 2 AS version, window_start, window_end, round(avg(n), 2) $grouped, version")
  )(gives("2|95|105|0.67", "2|100|110|0.67"))

  for {
    (title, windows) <- Seq(
      "windows" -> tens,
      "sessions" -> session_window(col("time"), "10 seconds")
    )
  } test(s"a key of the day on which a row came, in $title") {
    val in = events()
    val run = new Run(
      ordered(in.toDF()).groupBy(current_date().as("day"), windows).agg(count("*"))
    ).start()
    in.addData(event("a", 100))
    run.settle()
    run.clock.advance(24L * 3600 * 1000)
    in.addData(event("a", 101))
    run.settle()
    run.clock.advance(24L * 3600 * 1000)
    in.addData(event("a", 500))
    run.settle()
    assertFrames(run.query)
    val days = run.rows.map(row => row.get(0).toString -> row.getAs[Long](2)).distinct.sorted
    assert(days === Seq("1970-01-12" -> 1L, "1970-01-13" -> 1L))
    run.stop()
  }

  scenario("late by window_time, in windows that slide", frames = false)(
    sql(s"SELECT window_time, count(window_start) FROM $hop GROUP BY window_time")
  )(
    Seq(
      send(event("a", 101)).givesNothing,
      send(event("a", 120)).gives("104.999|1", "109.999|1"),
      // The window that ends at 120 is out, the next one is not.
      send(event("a", 118)).givesNothing,
      send(event("a", 200)).gives("124.999|2", "129.999|1")
    )
  )

  scenario("late by window_time, in windows that grow", late = 1)(
    sql("""SELECT window_time, count(*)
      FROM CUMULATE(TABLE(o), DESCRIPTOR(time), 5 seconds, 10 seconds) GROUP BY window_time""")
  )(
    Seq(
      send(event("a", 101)).givesNothing,
      send(event("a", 120)).gives("104.999|1", "109.999|1"),
      send(event("a", 118)).givesNothing,
      send(event("a", 200)).gives("124.999|1", "129.999|1")
    )
  )
}
