package tidegate
package sql

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.SparkClasses.MemoryStream

/** What the marks on columns say after views, unions, renames and joins. */
class SqlPlanSuite extends KeyedStreamTest {

  private def stream(view: String): MemoryStream[Event] = {
    val in = events()
    in.toDF().createOrReplaceTempView(view)
    in
  }

  private def ordered(view: String, key: Int = 0, lag: Int = 5): Unit = {
    spark.sql(s"""
      CREATE OR REPLACE TEMPORARY VIEW ${view}_ordered AS
      SELECT * FROM impose_order($view, descriptor(time), $lag seconds, $key)""")
    ()
  }

  private def run(query: String): Run = new Run(spark.sql(query)).start()

  private def refused(query: String): AnalysisException =
    intercept[AnalysisException](new Run(spark.sql(query)).start())

  private def table(): Unit =
    spark.sql("SELECT 1 AS id, timestamp_seconds(100) AS time").createOrReplaceTempView("t")

  test("an argument that cannot be computed: which one, and why") {
    stream("s")
    val zero = "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 " +
      "and return NULL instead. If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass " +
      "this error. SQLSTATE: 22012"
    Seq("key" -> "(1 / 0)", "flush" -> "((1 / 0) = 0)", "idle_timeout" -> "(1 / 0)").foreach {
      case (argument, found) =>
        val error = intercept[AnalysisException](
          spark.sql(
            s"SELECT * FROM impose_order(s, descriptor(time), 5 seconds, $argument => $found)"
          )
        )
        assert(error.getCondition === "TIDEGATE_ARGUMENT_FAILS")
        assert(
          error.getMessage.linesIterator
            .next()
            .startsWith(
              s"[TIDEGATE_ARGUMENT_FAILS] The argument `$argument` of IMPOSE_ORDER is "
            ),
          argument
        )
        assert(
          error.getMessage.contains(s", which cannot be computed: $zero SQLSTATE: 22023"),
          argument
        )
        assert(error.getQueryContext.head.fragment === found.stripPrefix("(").stripSuffix(")"))
    }
  }

  test("a window over a join of Spark's own watermarks: its state is still cleaned") {
    val (l, r) = (stream("l"), stream("r"))
    Seq("l", "r").foreach { name =>
      spark.table(name).withWatermark("time", "5 seconds").createOrReplaceTempView(s"${name}_late")
    }
    val joined = """
      SELECT l.time AS t FROM l_late l LEFT JOIN r_late r
      ON l.n = r.n AND r.time BETWEEN l.time AND l.time + INTERVAL 10 SECONDS"""
    val q = run(
      s"SELECT window_end, count(*) FROM tumble(TABLE($joined), descriptor(t), 10 seconds) GROUP BY window_end"
    )
    l.addData(event("a", 101, 1), event("a", 102, 2), event("a", 150, 3))
    r.addData(event("a", 103, 1), event("a", 151, 3))
    q.settle()
    assert(q.take() === Seq("110|2"))
  }

  test("windows of a union: the same in all branches, or refused") {
    val in = stream("s")
    ordered("s")
    def windows(size: String) =
      s"SELECT window_start, window_end FROM tumble(s_ordered, descriptor(time), $size)"
    val error = refused(
      s"SELECT window_start, count(*) FROM (${windows("10 seconds")} UNION ALL ${windows("1 minute")}) GROUP BY 1"
    )
    assert(error.getCondition === "TIDEGATE_WINDOWS_OF_UNION")
    assert(
      error.getMessage.startsWith(
        "[TIDEGATE_WINDOWS_OF_UNION] The column `window_start` is of other windows in each branch of " +
          "a union: TUMBLE of 10000 ms every 10000 ms, TUMBLE of 60000 ms every 60000 ms. Aggregate " +
          "each branch by itself before the union, or use the same windows in all of them."
      )
    )
    val three = refused(
      s"SELECT window_start, count(*) FROM (${windows("10 seconds")} UNION ALL ${windows("1 minute")} " +
        s"UNION ALL ${windows("10 seconds")}) GROUP BY 1"
    )
    assert(
      three.getMessage.contains(
        "TUMBLE of 10000 ms every 10000 ms, TUMBLE of 60000 ms every 60000 ms, TUMBLE of 10000 ms every 10000 ms."
      )
    )
    val q = run(
      s"SELECT window_start, count(*) FROM (${windows("10 seconds")} UNION ALL ${windows("10 seconds")}) GROUP BY 1"
    )
    in.addData(event("a", 100), event("a", 117))
    q.settle()
    assert(q.take() === Seq("100|2"))
  }

  test("a view has the windows and watermarks of today") {
    val in = stream("s")
    ordered("s")
    def windows(size: String): Unit = {
      spark.sql(
        s"CREATE OR REPLACE TEMPORARY VIEW w AS SELECT * FROM tumble(s_ordered, descriptor(time), $size)"
      )
      ()
    }
    windows("10 seconds")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM w")
    windows("20 seconds")
    ordered("s", key = 3)
    val q = run("SELECT window_start, count(*) FROM v GROUP BY window_start")
    in.addData(event("a", 101), event("a", 119), event("a", 117))
    q.settle()
    assert(q.take().isEmpty)
    in.addData(event("a", 126))
    q.settle()
    assert(q.take() === Seq("100|3"))
    val described = spark.sql("DESCRIBE SELECT * FROM v")
    assert(described.where("comment = 'event time, watermark key 3'").count() === 3)
  }

  test("a nested view has the watermark key of today") {
    val in = stream("s")
    ordered("s")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM s_ordered")
    ordered("s", key = 3)
    val q = run("SELECT window(time, '10 seconds'), count(*) FROM v GROUP BY 1")
    in.addData(event("a", 101), event("a", 126))
    q.settle()
    assert(q.take() === Seq("[100,110)|1"))
  }

  test("a view without marks of ours stays as Spark made it") {
    def casts(plan: LogicalPlan): Int = plan.collect { case p: Project =>
      p.projectList.count {
        case Alias(_: Cast, _) => true
        case _                 => false
      }
    }.sum
    assume(SparkFeatures.hasWatermarkClause)
    stream("s")
    spark.sql(
      "CREATE OR REPLACE TEMPORARY VIEW own AS " +
        "SELECT * FROM s WATERMARK time DELAY OF INTERVAL 5 SECONDS"
    )
    val plan = SparkInternals.analyzed(spark.sql("SELECT * FROM own"))
    assert(casts(plan) === 3)
  }

  test("the time of another window goes with an aggregation like any other time") {
    val in = stream("s")
    ordered("s", lag = 0)
    val q = run("""
      SELECT window_end, count(*) FROM tumble(
        TABLE(
          SELECT t5, count(*) AS c FROM hop(
            TABLE(SELECT time, window_time AS t5 FROM tumble(s_ordered, descriptor(time), 5 seconds)),
            descriptor(time), 60 seconds, 10 seconds)
          GROUP BY window_start, window_end, t5),
        descriptor(t5), 5 seconds) GROUP BY window_end""")
    in.addData(event("a", 1), event("a", 61))
    q.settle()
    in.addData(event("a", 200))
    q.settle()
    assert(q.lateRows.isEmpty)
    assert(q.take() === Seq("5|6", "65|6"))
  }

  test("a window of Spark's over the time of ours has its own grid") {
    val in = stream("s")
    ordered("s", lag = 0)
    val q = run(
      """
      SELECT window(window_time, '20 seconds', '10 seconds').end AS e, count(*)
      FROM tumble(s_ordered, descriptor(time), 5 seconds) GROUP BY window(window_time, '20 seconds', '10 seconds')"""
    )
    in.addData(event("a", 101), event("a", 125))
    q.settle()
    in.addData(event("a", 95))
    q.settle()
    assert(q.take() === Seq("110|1", "120|1"))
    assert(q.lateRows.values.sum === 1)
  }

  test("a watermark on the end of a window: the column is a time like any other") {
    val in = stream("s")
    val q = run("""
      SELECT window_end, count(*) FROM impose_order(
        TABLE(SELECT * FROM tumble(s, descriptor(time), 5 seconds)), descriptor(window_end), 0 seconds)
      GROUP BY window_end""")
    in.addData(event("a", 101))
    q.settle()
    in.addData(event("a", 102))
    q.settle()
    in.addData(event("a", 106))
    q.settle()
    assert(q.take() === Seq("105|2"))
    assert(q.lateRows.isEmpty)
  }

  test("a row without a partner leaves an outer join when its window is closed") {
    val (l, r) = (stream("l"), stream("r"))
    ordered("l", 0, 0)
    ordered("r", 1, 0)
    def windows(view: String) =
      s"(SELECT window_end, count(*) AS c FROM tumble(${view}_ordered, descriptor(time), 5 seconds) GROUP BY window_end)"
    val q = run(
      s"SELECT l.window_end, l.c, r.c FROM ${windows("l")} l LEFT JOIN ${windows("r")} r ON l.window_end = r.window_end"
    )
    l.addData(event("a", 101), event("a", 105))
    r.addData(event("a", 96), event("a", 105))
    q.settle()
    assert(q.take() === Seq("105|1|null"))
  }

  test("keys of the same name on both sides of a join, at different places") {
    val (l, r) = (stream("l"), stream("r"))
    ordered("l")
    ordered("r")
    val q = run("""
      SELECT l.window_end, l.c, r.c FROM
      (SELECT window_time, window_end, count(*) AS c FROM tumble(l_ordered, descriptor(time), 5 seconds) GROUP BY 1, 2) l
      JOIN (SELECT window_end, count(*) AS c FROM tumble(r_ordered, descriptor(time), 5 seconds) GROUP BY 1) r
      ON l.window_end = r.window_end""")
    Seq(l, r).foreach(_.addData(event("a", 101), event("a", 120)))
    q.settle()
    assert(q.take() === Seq("105|1|1"))
  }

  test("sessions through renames, views and common table expressions; typos over them") {
    table()
    def answer(query: String) = spark.sql(query).collect().toSeq.map(KeyedStreamTest.text)
    val session = "session(t PARTITION BY id, descriptor(time), 5 seconds)"
    assert(
      answer(s"""
        SELECT u, s, count(*) FROM (SELECT id AS u, window_start AS s, window_end FROM $session)
        GROUP BY ALL""") === Seq("1|100|1")
    )
    spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW sessions AS SELECT * FROM $session")
    assert(answer("SELECT id, window_end, count(*) FROM sessions GROUP BY ALL") === Seq("1|105|1"))
    assert(refused("SELECT * FROM sessions").getCondition === "TIDEGATE_SESSION_WITHOUT_AGGREGATE")
    assert(
      answer(s"""
        WITH s AS (SELECT * FROM $session),
          n AS (SELECT id, window_end, count(*) AS c FROM s GROUP BY ALL)
        SELECT a.c, b.window_start FROM n a
        JOIN (SELECT id, window_start FROM s GROUP BY ALL) b USING (id)""") === Seq("1|100")
    )
    for (typo <- Seq("usr, window_start", "window_start HAVING usr > 1"))
      assert(
        refused(s"SELECT count(*) FROM $session GROUP BY $typo").getCondition
          .startsWith("UNRESOLVED_COLUMN")
      )
  }

  test("current_watermark: each branch its own, in a subquery, in HAVING, beside an alias") {
    val (a, b) = (stream("a"), stream("b"))
    ordered("a")
    ordered("b", lag = 7)
    def own(view: String) = s"SELECT n, current_watermark('time') AS w FROM ${view}_ordered"
    val q = run(own("a") + " UNION ALL " + own("b"))
    for (n <- 1 to 3) {
      // A batch must not begin between the two.
      q.stop()
      Seq(a, b).foreach(_.addData(event("a", 100, n)))
      q.start().settle()
    }
    assert(q.take() === Seq("1|null", "1|null", "2|93", "2|95", "3|93", "3|95"))
    q.stop()

    val subquery = run(
      """
      SELECT n, (SELECT current_watermark('time')) AS w, time AS t, is_late(t) AS l FROM a_ordered"""
    )
    a.addData(event("a", 101, 4))
    subquery.settle()
    a.addData(event("a", 90, 5))
    subquery.settle()
    a.addData(event("a", 90, 6))
    subquery.settle()
    assert(subquery.take().last === "6|96|90|true")
    subquery.stop()

    val having = run("""
      SELECT n, count(*) FROM tumble(a_ordered, descriptor(time), 5 seconds)
      GROUP BY n, window_end HAVING NOT is_late(window_end)""")
    having.settle()
    val error = refused("SELECT * FROM a_ordered WHERE time < (SELECT current_watermark('tiem'))")
    assert(error.getCondition === "TIDEGATE_UNKNOWN_WATERMARK")
  }
}
