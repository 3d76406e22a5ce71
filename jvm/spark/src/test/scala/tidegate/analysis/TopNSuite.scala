package tidegate
package analysis

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Window => RankWindow}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.plans.AppendedRows

/** The first rows of windows and of keys: the rows of the same text over a table. */
class TopNSuite extends SameTextTest {

  override protected def atNight: Seq[String] = Seq(
    "each window of TUMBLE",
    "each window of CUMULATE",
    "each window of a window of Spark",
    "rows of TUMBLE",
    "rows of CUMULATE"
  )

  private val windowFunctions = Seq("TUMBLE" -> tumble, "HOP" -> hop, "CUMULATE" -> cumulate)

  private def top(function: String, order: String, of: String, keys: String = ""): String = s"""
    SELECT * FROM (
      SELECT *, $function() OVER (PARTITION BY window_start, window_end $keys ORDER BY $order) AS r
      FROM $of)
    WHERE r <= 3"""

  for ((name, windows) <- windowFunctions) {
    onRocksDb(s"the first rows of $name windows: as in batch, over kills") {
      val text = top("ROW_NUMBER", "n % 7 DESC, n", windows)
      assert(checkKills(streamed(text)).answer === wanted(text))
    }
  }

  test("windows from frames, and closed in the batch of the closing row") {
    val text = top("ROW_NUMBER", "n % 7 DESC, n", hop, ", sub")
    val run = new Run(streamed(text)).start().settle()
    assert(run.answer === wanted(text))
    assert(plan(run).contains("FrameAggregate(keys=[sub"))
    assert(plan(run).contains("Closing: in the same batch"))
    assert(run.byBatch(6) === Nil || run.batchCount === 7)
  }

  test("ranks with ties, a strict limit, QUALIFY, and one rank alone") {
    val ranked =
      "OVER (PARTITION BY window_start, window_end ORDER BY n % 7 DESC) AS r FROM " + hop
    val texts = Seq(
      top("RANK", "n % 7 DESC", hop),
      top("DENSE_RANK", "n % 7", hop, ", sub"),
      s"SELECT window_end, n, r + 1 FROM (SELECT *, RANK() $ranked) WHERE 4 > r AND n > 10",
      s"SELECT window_end, n, r FROM (SELECT *, DENSE_RANK() $ranked) WHERE r = 2",
      s"SELECT window_end, n FROM (SELECT *, RANK() $ranked) WHERE r BETWEEN 2 AND 3",
      s"WITH t AS (SELECT *, RANK() $ranked) SELECT n, r FROM t WHERE r IN (1, 3)"
    ) ++ Seq(
      s"SELECT n, window_end FROM $hop QUALIFY ROW_NUMBER() OVER " +
        "(PARTITION BY window_start, window_end ORDER BY n DESC) <= 2"
    ).filter(_ => SparkFeatures.hasQualify)
    texts.foreach { text =>
      val run = new Run(streamed(text)).start().settle()
      assert(run.answer === wanted(text), text)
      run.stop()
    }
  }

  test("the first and the last row of a window by time, with methods of DataFrames") {
    def kept(rows: DataFrame, isFirst: Boolean) = {
      val at = (unix_millis(col("time")) * 1000 + col("n"))
      rows
        .where("n > 0")
        .withColumn("window", window(col("time"), "20 seconds"))
        .withColumn(
          "r",
          row_number().over(
            Window.partitionBy("window", "sub").orderBy(if (isFirst) at.asc else at.desc)
          )
        )
        .where("r = 1")
        .select("window", "sub", "n")
    }
    for (isFirst <- Seq(true, false)) {
      val run = new Run(kept(stream(input).withKeyedWatermark("time", "40 seconds"), isFirst))
      run.start().settle()
      val batch = kept(table(input), isFirst).collect().map(KeyedStreamTest.text).toSeq.sorted
      assert(run.answer === batch)
      run.stop()
    }
  }

  for ((name, windows) <- windowFunctions :+ ("a window of Spark's" -> "events"))
    test(s"the best of an aggregation, in each window of $name: from frames, in the same batch") {
      val isOurs = windows != "events"
      val ends = if (isOurs) "window_start, window_end" else "w"
      val named = if (isOurs) "window_start, window_end, window_time" else "window"
      val by = if (isOurs) named else "window(time, '40 seconds', '10 seconds', '3 seconds')"
      val counts = s"""(
        SELECT ${if (isOurs) named else "window AS w"}, sub, count(*) AS c
        FROM $windows GROUP BY $by, sub)"""
      val best = s"""
        SELECT * FROM (
          SELECT *, ROW_NUMBER() OVER (PARTITION BY $ends ORDER BY c DESC, sub) AS r FROM $counts)
        WHERE r <= 2"""
      val most = s"SELECT $ends, max(c), count(*) FROM $counts WHERE c > 1 GROUP BY $ends"
      val all = s"SELECT c, count(*) FROM ($counts) GROUP BY c, $ends"
      for (text <- Seq(best, most, all)) {
        val isKilled = windows == hop && text == best
        val run =
          if (isKilled) checkKills(streamed(text)) else new Run(streamed(text)).start().settle()
        assert(run.answer === wanted(text), text)
        assert("FrameAggregate\\(".r.findAllIn(plan(run)).size === 2, text)
        assert(plan(run).contains("Closing: in the same batch"), text)
      }
    }

  test("windows over the first rows of an aggregation, three in a batch") {
    val counts = s"""(
      SELECT window_start, window_end, window_time, sub, count(*) AS c FROM ${hop}
      GROUP BY window_start, window_end, window_time, sub)"""
    val best = top("ROW_NUMBER", "c DESC, sub", counts)
    val text = s"""
      SELECT window_end, sum(c) FROM TUMBLE(
        TABLE($best), DESCRIPTOR(window_time), INTERVAL 1 MINUTE)
      GROUP BY window_end"""
    val run = checkKills(streamed(text))
    assert(run.answer === wanted(text))
    assert("FrameAggregate\\(".r.findAllIn(plan(run)).size === 3)
  }

  test("windows that slide by no part of their size: frames of the aggregation above alone") {
    val text = """
      SELECT w, max(c) FROM (
        SELECT window AS w, sub, count(*) AS c
        FROM events GROUP BY window(time, '40 seconds', '15 seconds'), sub)
      GROUP BY w"""
    val run = checkKills(streamed(text))
    assert(run.answer === wanted(text))
    assert("FrameAggregate\\(".r.findAllIn(plan(run)).size === 1)
  }

  test("windows of both sides of a join: those of one side are the groups") {
    def side(name: String) =
      s"(SELECT window_start, window_end, sub, max(n) AS n FROM $tumble GROUP BY 1, 2, 3) AS $name"
    val text = s"""
      SELECT l_end, r_end, sub, n, place FROM (
        SELECT l.window_end AS l_end, r.window_end AS r_end, l.sub, r.n,
          ROW_NUMBER() OVER (PARTITION BY l.window_end ORDER BY r.n DESC, l.sub) AS place
        FROM ${side("l")} JOIN ${side("r")} ON l.sub = r.sub
          AND r.window_end BETWEEN l.window_end AND l.window_end + INTERVAL 40 SECONDS)
      WHERE place <= 2"""
    val plan = SparkInternals.analyzed(streamed(text))
    // In output mode update the rows below the rank are a part of their own.
    val updated = plan.transformDown { case w: RankWindow => w.copy(child = AppendedRows(w.child)) }
    Seq(plan, updated).foreach { p =>
      val keys = LowerTopN.ofExplained(p).collectFirst {
        case a: Aggregate if a.aggregateExpressions.exists(_.name == "top") =>
          a.groupingExpressions.map(_.sql.split('.').last)
      }
      // One value under two names.
      assert(keys.map(_.toSet) === Some(Set("l_end", "window_end")))
    }
  }

  test("in output mode update a row replaces the one with its key and its rank") {
    val text = """
      SELECT sub, n, r FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY sub ORDER BY n DESC) AS r FROM events)
      WHERE r <= 4"""
    val run = new Run(streamed(text), mode = OutputMode.Update())
    val lines = LogLines.during(LowerTopN.getClass.getName.stripSuffix("$")) {
      run.start().settle()
    }
    assert(
      lines === Seq(
        "The query keeps the first rows of each sub for ever, as no time with a watermark is among " +
          "these columns. Where keys go out of use, add such a time to PARTITION BY, or a window of it."
      )
    )
    val last = run.rows.foldLeft(Map.empty[(Any, Any), Row]) { (known, row) =>
      known.updated((row.get(0), row.get(2)), row)
    }
    assert(last.values.map(KeyedStreamTest.text).toSeq.sorted === wanted(text))
  }

  test("a time among the keys, without windows: the rows leave when the time has passed") {
    val text = """
      SELECT sub, time, n FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY sub, time ORDER BY n DESC) AS r FROM events)
      WHERE r = 1"""
    assert(checkKills(streamed(text)).answer === wanted(text))
  }

  test("a query that goes on with another order is refused, and goes on as it was") {
    val text = top("ROW_NUMBER", "n % 7 DESC, n", hop)
    val first = new Run(streamed(text))
    first.failIn = _ >= 2
    first.start().awaitEnd()
    val other = new Run(streamed(top("ROW_NUMBER", "n % 7, n", hop)), first.checkpoint)
    val error = intercept[StreamingQueryException](other.start().settle())
    assert(
      error.getMessage.contains(
        "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of the aggregate top_row_number: "
      )
    )
    val last = new Run(streamed(text), first.checkpoint).start().settle()
    assert((first.answer ++ last.answer).sorted === wanted(text))
  }

  test("what has no limit, or no time, or shows no rank is refused") {
    assert(
      refused(
        s"SELECT *, RANK() OVER (PARTITION BY window_end ORDER BY n) AS r FROM ${tumble}"
      ) ===
        "[TIDEGATE_RANK_WITHOUT_LIMIT] The query numbers all rows of a stream by " +
        "RANK() OVER (PARTITION BY window_end ORDER BY n ASC NULLS FIRST ROWS BETWEEN UNBOUNDED " +
        "PRECEDING AND CURRENT ROW), and would have to keep all of them. Ask for the first ones in " +
        "a filter right above: WHERE r <= 10. SQLSTATE: 0A000"
    )
    assert(
      refused(
        "SELECT * FROM (SELECT *, sum(n) OVER (PARTITION BY sub ORDER BY time) AS s FROM (SELECT *, " +
          "RANK() OVER (PARTITION BY sub ORDER BY n) AS r FROM events)) WHERE r <= 3"
      ).endsWith(
        "Ask for the first ones in a filter right above: WHERE r <= 10. Compute other functions with " +
          "OVER above this filter, or below the rank, in a SELECT of their own. SQLSTATE: 0A000"
      )
    )
    val bySub =
      "FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY sub ORDER BY n) AS r FROM events)"
    assert(
      refused(s"SELECT * $bySub WHERE r <= 3").contains("[TIDEGATE_AGGREGATE_WITHOUT_TIME]")
    )
    assert(
      refused(s"SELECT * $bySub WHERE r <= 3 AND n > 5", OutputMode.Update()) ===
        "[TIDEGATE_TOP_N_FILTERED] The filter of the first rows has the condition (n > 5), which is " +
        "not about the rank `r` alone. In output mode update a row replaces the one that had its " +
        "rank before, so each rank has to come out. Put the condition below the function with the " +
        "rank, or behind the query. SQLSTATE: 0A000"
    )
    assert(
      refused(s"SELECT sub, n $bySub WHERE r <= 3", OutputMode.Update()) ===
        "[TIDEGATE_TOP_N_WITHOUT_RANK] The query emits the first 3 rows of each key, but not their " +
        "rank `r`. In output mode update a row replaces the one that had its keys and its rank " +
        "before. Select `r` too. SQLSTATE: 0A000"
    )
  }
}
