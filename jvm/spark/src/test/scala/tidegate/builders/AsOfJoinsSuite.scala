package tidegate
package builders

import org.apache.spark.sql.functions.{col, lit, map}
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** What as-of joins refuse, and what they are on tables. */
class AsOfJoinsSuite extends KeyedStreamTest {
  import spark.implicits._

  private def orders(time: String = "at"): DataFrame =
    events().toDF().withColumnRenamed("time", time)

  private def keyed(time: String = "at"): DataFrame =
    orders(time).withKeyedWatermark(time, "1 second", name = time)

  private def refused(join: => DataFrame): String = intercept[AnalysisException](join).getMessage

  private val on = Seq("sub")

  test("times that are not there, that are no times, or that are not told apart") {
    assert(
      refused(keyed().asOfJoin(keyed("since"), on, leftTime = "when")) ===
        "[TIDEGATE_AS_OF_TIME_NOT_FOUND] The argument `leftTime` names the time column `when`, which " +
        "does not exist on the left side of the as-of join. Use one of its columns: `sub`, `at`, " +
        "`n`. SQLSTATE: 42703"
    )
    assert(
      refused(keyed().asOfJoin(keyed("since"), on, rightTime = "n")) ===
        "[TIDEGATE_AS_OF_TIME_NOT_TIMESTAMP] The argument `rightTime` names the column `n`, which has " +
        "the type INT, but must be a TIMESTAMP or TIMESTAMP_NTZ. Convert it first, for example with " +
        "to_timestamp or timestamp_millis; of a window, take window_time(window). SQLSTATE: 42K09"
    )
    val twice = orders().withColumn("until", col("at"))
    assert(
      refused(
        twice
          .withKeyedWatermark("at", "1 second")
          .withColumn("until", col("at"))
          .asOfJoin(keyed("since"), on)
      ) ===
        "[TIDEGATE_AS_OF_TIME_NEEDED] The left side of an as-of join has more than one time column " +
        "with a watermark: `at`, `until`. Name one with leftTime; in SQL, select only one of them in " +
        "a view or a WITH. SQLSTATE: 42702"
    )
    assert(
      refused(keyed().asOfJoin(orders("since"), on)) ===
        "[TIDEGATE_AS_OF_TIME_NEEDED] The right side of an as-of join has no time column with a " +
        "watermark. Call withKeyedWatermark on it before the join. SQLSTATE: 42702"
    )
    assert(
      refused(keyed().asOfJoin(Seq("a").toDF("sub"), on)) ===
        "[TIDEGATE_AS_OF_TIME_NEEDED] The right side of an as-of join has no time column. Convert one " +
        "of its columns first, for example with to_timestamp. SQLSTATE: 42702"
    )
    val local = orders("since").withColumn("since", col("since").cast("timestamp_ntz"))
    assert(
      refused(keyed().asOfJoin(local.withKeyedWatermark("since", "1 second"), on)) ===
        "[TIDEGATE_AS_OF_TIME_TYPES] An as-of join compares `at` of type TIMESTAMP with `since` of " +
        "type TIMESTAMP_NTZ. Use two columns of the same type: cast one of them before its " +
        "withKeyedWatermark. SQLSTATE: 42K09"
    )
  }

  test("streams without a watermark, a stream of versions for a table, and other joins") {
    assert(
      refused(orders().asOfJoin(keyed("since"), on, leftTime = "at")) ===
        "[TIDEGATE_AS_OF_NOT_KEYED] The time column `at` of the left side of an as-of join of streams " +
        "has no watermark key, so that no row would ever be decided. Call withKeyedWatermark on it " +
        "before the join. SQLSTATE: 42K0E"
    )
    assert(
      refused(Seq(event("a", 1)).toDF().asOfJoin(keyed("since"), on)) ===
        "[TIDEGATE_AS_OF_STREAM_OF_VERSIONS] The right side of an as-of join is a stream, and the left " +
        "side is a table: a stream of versions has no end at which the rows of a table could be " +
        "decided. Read the left side as a stream too, or the right side as a table. SQLSTATE: 0A000"
    )
    assert(
      refused(keyed().asOfJoin(keyed("since"), on, how = "fullOuter")) ===
        "[TIDEGATE_AS_OF_JOIN_TYPE] An as-of join has the type FULL OUTER, but is an inner or a left " +
        "join: each row of the left side finds one version on the right side, or none. Use " +
        "how='inner' or how='left'; in SQL, JOIN or LEFT JOIN. SQLSTATE: 0A000"
    )
    assert(
      refused(keyed().asOfJoin(keyed("since"), col("at") > col("since"), "inner")) ===
        "[TIDEGATE_AS_OF_WITHOUT_EQUALITY] The condition of an as-of join has no equality of a column " +
        "of each side, which tells whose version a row of the left side finds. Add one, such as " +
        "l.currency = r.currency. SQLSTATE: 0A000"
    )
    assert(
      refused(keyed().asOfJoin(keyed("since"), on, tolerance = "-1 second")) ===
        "[TIDEGATE_DURATION_TOO_SMALL] The argument `tolerance` is '-1 second', but must be at least " +
        "0 ms. Use a duration such as '5 seconds'. SQLSTATE: 22023"
    )
    keyed().createOrReplaceTempView("no_join")
    assert(
      refused(spark.sql("SELECT * FROM AS_OF_JOIN(TABLE(no_join))"))
        .replaceFirst("; line \\d+ pos \\d+", "") ===
        "[TIDEGATE_NO_JOIN] The table of AS_OF_JOIN is not a join. Call asOfJoin, which calls this " +
        "function with the join that it makes. SQLSTATE: 42K09"
    )
  }

  test("the time of a version is no event time of the join") {
    val joined = keyed().asOfJoin(keyed("since"), on)
    assert(
      refused(joined.orderByEventTime(eventTime = "since")).startsWith("[TIDEGATE_ORDER_NOT_KEYED]")
    )
    assert(joined.orderByEventTime().columns.toSeq === Seq("sub", "at", "n", "since", "n"))
  }

  private def table(time: String, rows: (String, Option[Int], Int)*): DataFrame =
    rows.toDF("id", "s", s"n_$time").selectExpr("id", s"timestamp_seconds(s) AS $time", s"n_$time")

  private def answer(joined: DataFrame): Seq[String] =
    joined.select("n_at", "n_since").collect().map(_.mkString(" ")).toSeq.sorted

  private lazy val rows = table(
    "at",
    ("a", Some(5), 1),
    ("a", Some(10), 2),
    ("b", Some(10), 3),
    ("c", Some(1), 4),
    ("a", None, 5),
    (null, Some(10), 6)
  )

  private lazy val versions = table(
    "since",
    ("a", Some(5), 11),
    ("a", Some(5), 12),
    ("a", Some(9), 13),
    ("a", None, 14),
    ("b", Some(11), 15),
    ("c", Some(0), 16),
    (null, Some(1), 17)
  )

  test("tables: equal times count, NULLs match nothing, the greatest of equal versions is found") {
    assert(answer(rows.asOfJoin(versions, Seq("id"))) === Seq("1 12", "2 13", "4 16"))
    assert(
      answer(rows.asOfJoin(versions, Seq("id"), how = "left", tolerance = "0 seconds")) ===
        Seq("1 12", "2 null", "3 null", "4 null", "5 null", "6 null")
    )
    val condition = rows("id") === versions("id") && versions("n_since") =!= 13
    assert(answer(rows.asOfJoin(versions, condition, "inner")) === Seq("1 12", "4 16"))
    // Columns that cannot be compared do not matter.
    val odd = versions.withColumn("m", map(lit(1), col("n_since")))
    assert(answer(rows.asOfJoin(odd, Seq("id"))) === Seq("1 12", "2 13", "4 16"))
  }

  test("a stream with a table at its right side: each row leaves at once") {
    val in = events()
    val run = new Run(
      in.toDF()
        .toDF("id", "at", "n_at")
        .asOfJoin(versions, Seq("id"), how = "left")
        .select("n_at", "n_since")
    ).start()
    in.addData(event("a", 8, 1), event("d", 8, 2))
    run.settle()
    assert(run.answer === Seq("1|12", "2|null"))
    run.stop()
  }

  test("what explains the time says that the right side holds the rows") {
    val (left, right) = (events(), events())
    val run = new Run(
      left
        .toDF()
        .withKeyedWatermark("time", "1 second", name = "orders")
        .asOfJoin(
          right
            .toDF()
            .withColumnRenamed("time", "since")
            .withKeyedWatermark("since", "1 second", name = "rates"),
          on
        )
    ).start()
    left.addData(event("a", 100))
    right.addData(event("a", 10))
    run.settle()
    assert(run.rows === Nil)
    val sentences = explainTime(run.query)
    assert(sentences.contains("The state of `asOfJoin.left` follows `rates`"), sentences)
    run.stop()
  }
}
