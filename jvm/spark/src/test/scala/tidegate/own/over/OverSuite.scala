package tidegate
package own.over

import java.nio.file.Path

import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.analysis.SameTextTest

/** Functions with `OVER` over streams: the rows of the same text over a table. */
class OverSuite extends SameTextTest {

  /** No two rows of one time: with ROWS their order would count. */
  override lazy val input: Path = files(Seq.tabulate(6) { batch =>
    Seq.tabulate(30) { i =>
      event(s"s${i % 3}", batch * 30 + (i * 17) % 35 + i / 100.0, batch * 30 + i + 1)
    }
  } :+ Seq(event("s0", 100000, 0)): _*)

  test("several functions, a named window, other keys; over windows, and below them: over kills") {
    val over = "OVER (PARTITION BY sub ORDER BY time"
    val rate = s"avg(n) $over ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS rate"
    for (
      text <- Seq(
        s"SELECT n, sum(n) $over RANGE BETWEEN INTERVAL 1 MINUTE PRECEDING AND CURRENT ROW), " +
          s"lag(n, 1, -1) $over), first_value(n) $over), $rate, " +
          "count(*) OVER by_parity, max(time) OVER by_parity FROM events " +
          "WINDOW by_parity AS (PARTITION BY n % 2 ORDER BY time)",
        "SELECT window_end, sub, c, avg(c) OVER (PARTITION BY sub ORDER BY window_end " +
          "ROWS 2 PRECEDING) FROM (SELECT window_end, sub, count(*) AS c " +
          s"FROM $tumble GROUP BY window_start, window_end, sub)",
        "SELECT window_start, max(rate) FROM TUMBLE(TABLE((SELECT time, rate FROM (SELECT *, " +
          s"$rate FROM events))), DESCRIPTOR(time), INTERVAL 20 SECONDS) " +
          "GROUP BY window_start, window_end",
        s"SELECT * FROM (SELECT sub, n, row_number() $over) AS rn FROM events) WHERE rn <= 2"
      )
    ) withClue(text) {
      val run = checkKills(streamed(text))
      assert(run.answer === wanted(text))
      assert(plan(run).contains("OverAggregate"))
    }
  }

  test("the method of a DataFrame, and EXPLAIN of a text") {
    val before = Window.partitionBy("sub").orderBy("time").rowsBetween(-2, Window.currentRow)
    def summed(text: String => DataFrame) =
      text("SELECT * FROM events").select(col("n"), sum("n").over(before))
    val run = new Run(summed(streamed)).start().settle()
    assert(
      run.answer === summed(query(table(input), _)).collect().map(KeyedStreamTest.text).toSeq.sorted
    )
    streamed("SELECT * FROM events")
    val explained =
      spark.sql("EXPLAIN SELECT sum(n) OVER (ORDER BY time) FROM events").collect().mkString
    assert(
      explained.contains(
        "functions=[sum(n) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)]"
      )
    )
  }

  private def checkRefused(
      text: String,
      function: String,
      reason: String,
      mode: OutputMode = OutputMode.Append()
  ): Unit =
    withClue(text) {
      val _ = assert(
        refused(text, mode) ===
          s"[TIDEGATE_OVER] The function $function cannot run over a stream with keyed " +
          s"watermarks: $reason. A stream takes aggregate functions, ROW_NUMBER and LAG that look " +
          "back: OVER (PARTITION BY ... ORDER BY <a time with a watermark> ROWS BETWEEN 9 " +
          "PRECEDING AND CURRENT ROW), or RANGE BETWEEN INTERVAL 10 MINUTES PRECEDING AND CURRENT " +
          "ROW, or from UNBOUNDED PRECEDING. Look back, or aggregate by windows. SQLSTATE: 0A000"
      )
    }

  test("a common table expression that is used twice, with a rank above it too") {
    val before = "lag(n) OVER (PARTITION BY sub ORDER BY time) AS before"
    for (
      text <- Seq(
        "WITH c AS (SELECT * FROM events) SELECT x.n, y.before FROM c x JOIN " +
          s"(SELECT *, $before FROM c) y ON x.n = y.n AND x.time = y.time",
        s"WITH c AS (SELECT n, $before FROM events) SELECT * FROM c UNION ALL SELECT * FROM c",
        "WITH c AS (SELECT sub, window_end, count(*) AS k " +
          s"FROM $tumble GROUP BY window_start, window_end, sub) " +
          "SELECT * FROM (SELECT x.sub, x.window_end, row_number() OVER (PARTITION BY " +
          "x.window_start, x.window_end ORDER BY x.k DESC, x.sub) AS rn FROM " +
          s"(SELECT sub, window_start, window_end, count(*) AS k FROM $tumble " +
          "GROUP BY window_start, window_end, sub) x JOIN c ON c.sub = x.sub AND " +
          "c.window_end = x.window_end) WHERE rn <= 1"
      )
    ) withClue(text)(assert(new Run(streamed(text)).start().settle().answer === wanted(text)))
  }

  test("what looks ahead, or not along a time, is refused") {
    val over = "OVER (PARTITION BY sub ORDER BY time"
    val ahead = "its frame ends after the row, and a row would have to wait for later ones"
    val order = "ASC NULLS FIRST"
    def shown(function: String, frame: String) =
      s"$function OVER (PARTITION BY sub ORDER BY time $order $frame)"
    val upToNow = "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    checkRefused(
      s"SELECT lead(n) $over) FROM events",
      shown("lead(n, 1, NULL)", "ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"),
      ahead
    )
    checkRefused(
      s"SELECT sum(n) $over RANGE BETWEEN CURRENT ROW AND INTERVAL 1 SECOND FOLLOWING) FROM events",
      shown("sum(n)", "RANGE BETWEEN CURRENT ROW AND INTERVAL '01' SECOND FOLLOWING"),
      ahead
    )
    checkRefused(
      "SELECT sum(n) OVER (ORDER BY n) FROM events",
      s"sum(n) OVER (ORDER BY n $order RANGE $upToNow)",
      "its ORDER BY has `n`, which is no time with a watermark"
    )
    checkRefused(
      "SELECT sum(n) OVER (ORDER BY time, n) FROM events",
      s"sum(n) OVER (ORDER BY time $order, n $order RANGE $upToNow)",
      s"its ORDER BY has time $order, n $order, and not a time with a watermark alone, from early " +
        "to late"
    )
    checkRefused(
      "SELECT sum(n) OVER (PARTITION BY sub) FROM events",
      "sum(n) OVER (PARTITION BY sub ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
      "it has no ORDER BY, and a stream has no last row"
    )
    checkRefused(
      s"SELECT n, ntile(3) $over) FROM events",
      shown("ntile(3)", s"ROWS $upToNow"),
      "ntile(3) is none of the functions for streams"
    )
    checkRefused(
      s"SELECT lag(n) IGNORE NULLS $over) FROM events",
      shown("lag(n, 1, NULL)", "ROWS BETWEEN -1 FOLLOWING AND -1 FOLLOWING"),
      "it has IGNORE NULLS, and would have to keep rows of any age"
    )
    checkRefused(
      s"SELECT sum(n) $over) FROM events",
      shown("sum(n)", s"RANGE $upToNow"),
      "a row leaves once, in output mode append, and the query has update",
      OutputMode.Update()
    )
    assert(
      refused("SELECT sum(n) OVER (PARTITION BY sub COLLATE UTF8_LCASE ORDER BY time) FROM events")
        .startsWith("[TIDEGATE_COLLATED_KEY]")
    )
    assert(
      refused(s"SELECT row_number() $over DESC) FROM events")
        .startsWith("[TIDEGATE_RANK_WITHOUT_LIMIT]")
    )
  }

  test("rows without a time leave at once, with the values of no rows") {
    val in = events()
    in.addData(event("a", 1, 1), Event("a", null, 2), event("a", 2, 3), event("a", 3600, 0))
    val run = new Run(
      in.toDF()
        .withKeyedWatermark("time", "0 seconds")
        .selectExpr(
          "n",
          "sum(n) OVER (PARTITION BY sub ORDER BY time)",
          "count(n) OVER (ORDER BY time ROWS 5 PRECEDING)"
        )
    ).start().settle()
    assert(run.answer === Seq("1|1|1", "2|null|0", "3|4|2"))
  }

  test("a query goes on with its functions, and with no others") {
    val in = events()
    val checkpoint = newCheckpoint()
    def run(function: String, key: String) = new Run(
      in.toDF()
        .withKeyedWatermark("time", "0 seconds")
        .selectExpr("n", s"$function OVER (PARTITION BY $key ORDER BY time)"),
      checkpoint
    )
    in.addData(event("a", 1, 1), event("a", 2, 3))
    run("sum(n + 1)", "n % 2").start().settle().stop()
    in.addData(event("a", 3, 5))
    def refused(function: String, key: String) =
      intercept[AnalysisException](run(function, key).start()).getMessage
    val before = "sum((n + 1)) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) over the " +
      "rows of each `(n % 2)` by `time`"
    for (
      (function, key, now) <- Seq(
        ("max(n + 1)", "n % 2", before.replace("sum", "max")),
        ("sum(n + 2)", "n % 2", before.replace("n + 1", "n + 2")),
        ("sum(n + 1)", "n % 3", before.replace("n % 2", "n % 3"))
      )
    )
      assert(
        refused(function, key) === "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of " +
          s"`over`: the rows before, for $before. But the query has $now. Start the query as it " +
          "was, or with a new checkpoint; nothing in this one was changed. SQLSTATE: 42K03"
      )
    val last = run("sum(n + 1)", "n % 2").start().settle()
    assert(last.answer === Seq("3|6"))
  }
}
