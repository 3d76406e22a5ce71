package tidegate
package analysis

import org.apache.spark.sql.streaming.OutputMode

/** `FOR SYSTEM_TIME AS OF` a column: the rows of the same text over tables. */
class AsOfSqlSuite extends SameTextTest {

  private val rates =
    "WITH rates AS (SELECT sub, time AS at, n AS rate FROM events WHERE n % 4 = 0), " +
      "fees AS (SELECT sub AS who, time AS since, n AS fee FROM events WHERE n % 7 = 0)"
  private val joined = s"$rates, joined AS (SELECT e.*, rate FROM events e LEFT JOIN rates " +
    "FOR SYSTEM_TIME AS OF e.time r ON e.sub = r.sub)"

  private def check(texts: String*): Unit = texts.foreach { text =>
    withClue(text) {
      val run = new Run(streamed(text)).start().settle()
      assert(plan(run).contains("StreamAsOfJoin"))
      assert(run.answer === wanted(text))
      assert(run.answer.size > 5)
      run.stop()
    }
  }

  test("an inner join, over kills") {
    val text = s"$rates SELECT e.sub, e.time, e.n, r.at, r.rate FROM events AS e " +
      "JOIN rates FOR SYSTEM_TIME AS OF e.time AS r ON e.sub = r.sub"
    val run = checkKills(streamed(text))
    assert(run.answer === wanted(text))
    assert(run.rows.size > 100)
  }

  test("with a condition on the version, without an alias, with USING, and in other cases") {
    check(
      s"$rates SELECT n, rate FROM events e LEFT OUTER JOIN rates FOR SYSTEM_TIME AS OF e.time r " +
        "ON e.sub = r.sub AND r.rate % 3 <> 0",
      s"$rates SELECT n, rates.rate FROM events JOIN rates FOR SYSTEM_TIME AS OF time " +
        "ON events.sub = rates.sub",
      s"$rates select sub, n, rate from events e join rates for system_time as of `e`.`time` using (sub)"
    )
  }

  test("twice in one statement, in subqueries, and below windows") {
    check(
      s"$rates SELECT n, rate, fee FROM events e " +
        "LEFT JOIN rates FOR SYSTEM_TIME AS OF e.time r ON e.sub = r.sub " +
        "LEFT JOIN fees FOR SYSTEM_TIME AS OF e.time f ON e.sub = f.who",
      s"$rates SELECT n + 1, rate FROM (SELECT n, rate FROM events e JOIN rates " +
        "FOR SYSTEM_TIME AS OF e.time r ON e.sub = r.sub)",
      s"$joined SELECT window_end, sum(n * rate) AS s FROM TUMBLE(TABLE joined, DESCRIPTOR(time), " +
        "INTERVAL 20 SECONDS) GROUP BY window_start, window_end"
    )
  }

  test("in a view") {
    streamed("SELECT 1")
    spark.sql(
      "CREATE OR REPLACE TEMPORARY VIEW of_events AS " +
        s"$rates SELECT n, rate FROM events e JOIN rates FOR SYSTEM_TIME AS OF e.time r " +
        "ON e.sub = r.sub"
    )
    val run = new Run(spark.table("of_events")).start().settle()
    assert(
      run.answer === wanted(
        s"$rates SELECT n, rate FROM events e JOIN rates FOR SYSTEM_TIME AS OF e.time r " +
          "ON e.sub = r.sub"
      )
    )
    run.stop()
  }

  test("as of PROCTIME(), a table is joined as it is") {
    streamed("SELECT 1")
    import spark.implicits._
    Seq("s0" -> 1, "s1" -> 2).toDF("id", "name").createOrReplaceTempView("names")
    val text =
      "SELECT e.n, t.name FROM events e LEFT JOIN names FOR SYSTEM_TIME AS OF PROCTIME() " +
        "AS t ON e.sub = t.id"
    val run = new Run(streamed(text)).start().settle()
    assert(run.answer === wanted(text))
    run.stop()
    assert(
      refused(
        s"$rates SELECT 1 FROM events e JOIN rates FOR SYSTEM_TIME AS OF PROCTIME() r USING (sub)"
      ) ===
        "[TIDEGATE_AS_OF_NOW_OF_STREAM] FOR SYSTEM_TIME AS OF PROCTIME() stands behind a stream. It " +
        "is for a table, which Spark reads anew in each batch. For the versions in a stream, give a " +
        "time column of the left side, such as FOR SYSTEM_TIME AS OF o.ts. SQLSTATE: 0A000"
    )
  }

  test("with a constant time, the words stay Spark's") {
    val text = "SELECT * FROM events FOR SYSTEM_TIME AS OF '2020-01-01'"
    assert(!refused(text).contains("TIDEGATE"))
  }

  test("what is refused") {
    def asOf(table: String, time: String, kind: String = "JOIN", on: String = "e.sub = r.sub") =
      s"$rates SELECT 1 FROM events e $kind $table FOR SYSTEM_TIME AS OF $time r ON $on"
    Seq(
      asOf("rates", "e.time", "RIGHT JOIN") ->
        ("[TIDEGATE_AS_OF_JOIN_TYPE] An as-of join has the type RIGHT OUTER, but is an inner or a left " +
          "join: each row of the left side finds one version on the right side, or none. Use " +
          "how='inner' or how='left'; in SQL, JOIN or LEFT JOIN. SQLSTATE: 0A000"),
      asOf("rates", "e.time", on = "e.n > r.rate") ->
        ("[TIDEGATE_AS_OF_WITHOUT_EQUALITY] The condition of an as-of join has no equality of a column " +
          "of each side, which tells whose version a row of the left side finds. Add one, such as " +
          "l.currency = r.currency. SQLSTATE: 0A000"),
      asOf("rates", "r.at") ->
        ("[TIDEGATE_AS_OF_TIME_NOT_FOUND] FOR SYSTEM_TIME AS OF names the time column `r.at`, which " +
          "does not exist on the left side of the as-of join. Use one of its columns: `sub`, `time`, " +
          "`n`. SQLSTATE: 42703"),
      asOf("rates", "e.n") ->
        ("[TIDEGATE_AS_OF_TIME_NOT_TIMESTAMP] FOR SYSTEM_TIME AS OF names the column `n`, which has the " +
          "type INT, but must be a TIMESTAMP or TIMESTAMP_NTZ. Convert it first, for example with " +
          "to_timestamp or timestamp_millis; of a window, take window_time(window). SQLSTATE: 42K09"),
      asOf("rates", "e.time", on = "e.sub = r.sub AND e.n IN (SELECT rate FROM rates)") ->
        ("[TIDEGATE_AS_OF_CONDITION] The condition of an as-of join has (n IN (listquery())), but may " +
          "only compare columns of the two sides, and compute from them. Put it into a WHERE, above " +
          "the join or in a subquery below. SQLSTATE: 0A000"),
      asOf("rates", "e.time", on = "e.sub = r.sub AND rand(5) < 0.5") ->
        ("[TIDEGATE_AS_OF_CONDITION] The condition of an as-of join has rand(5), but may only compare " +
          "columns of the two sides, and compute from them. Put it into a WHERE, above the join or in " +
          "a subquery below. SQLSTATE: 0A000"),
      s"$rates SELECT 1 FROM rates FOR SYSTEM_TIME AS OF e.time" ->
        ("[TIDEGATE_AS_OF_MISPLACED] FOR SYSTEM_TIME AS OF e.time stands behind a table that is not the " +
          "right side of a join with a condition. Write o JOIN t FOR SYSTEM_TIME AS OF o.ts AS r ON " +
          "o.id = r.id, or LEFT JOIN; for the history of a table, give a constant time. " +
          "SQLSTATE: 0A000")
    ).foreach { case (text, sentence) => assert(refused(text) === sentence) }
    // The parser shows its place in the statement.
    assert(
      refused(asOf("rates", "e.time + INTERVAL 1 HOUR")).linesIterator.exists(
        _ == "[TIDEGATE_AS_OF_COMPUTED_TIME] FOR SYSTEM_TIME AS OF has (e.time + INTERVAL '01' HOUR), " +
          "but takes the name of a time column of the left side, whose watermark says when a version " +
          "is certain. Compute the column below, and give the watermark to it: FROM " +
          "IMPOSE_ORDER(TABLE(SELECT *, (e.time + INTERVAL '01' HOUR) AS at FROM t), DESCRIPTOR(at), " +
          "INTERVAL 5 SECONDS) o JOIN ... FOR SYSTEM_TIME AS OF o.at. SQLSTATE: 0A000"
      )
    )
    assert(
      refused(asOf("rates", "e.time"), OutputMode.Update()) ===
        "[TIDEGATE_AS_OF_OUTPUT_MODE] The query has an as-of join of streams, which works in output " +
        "mode append, but its output mode is update. Use outputMode('append'): a row leaves once, " +
        "when its version is certain. SQLSTATE: 42KDE"
    )
  }
}
