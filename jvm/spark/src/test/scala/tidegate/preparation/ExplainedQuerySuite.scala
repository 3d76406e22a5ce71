package tidegate
package preparation

import org.apache.spark.sql.execution.SimpleMode
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.operators.JoinTest
import tidegate.settings.Settings._

/** The explanation of a query that nobody has started names the operators that it will have. */
class ExplainedQuerySuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "rightOuter join, as",
    "leftSemi join, as",
    "leftOuter join, as"
  )

  private def operators(plan: String): Seq[String] =
    ("(IntervalJoin|StreamingSymmetricHashJoin|DeduplicateByTime|StreamingDeduplicate\\w*|" +
      "FrameAggregate|SessionAggregate|StreamAsOfJoin|EventTimeOrder|KeptBySpark|StateStoreSave)[( :]").r
      .findAllMatchIn(plan)
      .map(_.group(1))
      .toSeq

  private def explained(query: DataFrame): String = query.queryExecution.explainString(SimpleMode)

  private def started(query: DataFrame): String = {
    val run = new Run(query).start().settle()
    val plan = ReadableTextSuite.explained(run.query, extended = false)
    run.stop()
    plan
  }

  private def keyed: DataFrame = {
    val in = events()
    in.addData(event("a", 10))
    in.toDF().withKeyedWatermark("time", "3 seconds")
  }

  private def joined(how: String): DataFrame = {
    val (left, right) = (events(), events())
    left.addData(event("a", 10))
    right.addData(event("a", 10))
    val (l, r) = (orders(left.toDF()), deliveries(right.toDF()))
    l.streamJoin(r, l("id") === r("id"), how, within(10))
  }

  private def unbounded: DataFrame = {
    val (left, right) = (events(), events())
    left.addData(event("a", 10))
    orders(left.toDF()).streamJoin(deliveries(right.toDF()), Seq("id"))
  }

  private val settings =
    Seq(WindowsEnabled, JoinEnabled, DeduplicationEnabled, SessionsEnabled)

  Seq[(String, () => DataFrame)](
    "windows over a deduplication" -> (() =>
      keyed
        .dropDuplicates("sub", "time")
        .groupBy(window(col("time"), "10 seconds", "5 seconds"), col("sub"))
        .count()
    ),
    "dropDuplicatesWithinWatermark" -> (() => keyed.dropDuplicatesWithinWatermark("sub", "n")),
    "dropDuplicates without a time" -> (() => keyed.dropDuplicates("sub")),
    "sessions" -> (() =>
      keyed.groupBy(session_window(col("time"), "5 seconds"), col("sub")).count()
    ),
    "an order" -> (() => keyed.orderByEventTime(Seq("sub"))),
    "an as-of join" -> (() =>
      keyed.asOfJoin(keyed.withColumnRenamed("time", "since"), Seq("sub"), how = "left")
    ),
    "an inner join without bounds" -> (() => unbounded)
  ).concat(joinTypes.map(how => s"$how join" -> (() => joined(how)))).foreach {
    case (title, query) =>
      for (isOwn <- Seq(true, false))
        test(s"$title, ${if (isOwn) "as always" else "with settings for Spark's operators"}") {
          withConf(settings.map(_.key -> isOwn.toString): _*) {
            val found = operators(explained(query()))
            assert(found.nonEmpty)
            assert(found === operators(started(query())))
          }
        }
  }

  test("EXPLAIN in SQL names the operators, and says nothing of watermarks") {
    orders(events().toDF()).createOrReplaceTempView("explained_orders")
    deliveries(events().toDF()).createOrReplaceTempView("explained_deliveries")
    val plan = spark
      .sql("""EXPLAIN SELECT * FROM explained_orders o JOIN explained_deliveries d
        ON o.id = d.id AND delivery_time BETWEEN order_time AND order_time + INTERVAL 10 SECONDS""")
      .head()
      .getString(0)
    assert(operators(plan) === Seq("IntervalJoin"))
    assert("late \\d|eviction \\d".r.findFirstIn(plan) === None)
  }

  test("a query that could not start is explained with Spark's operators") {
    val unused = events().toDF().withKeyedWatermark("time", "0 seconds", allowedLateness = "1 hour")
    val query = unused.dropDuplicates("sub", "time")
    intercept[AnalysisException](new Run(query).start())
    assert(operators(explained(query)) === Seq("StreamingDeduplicate"))
  }

  test("settings that replace watermarks: the operators are Spark's, as in such a query") {
    withConf(ReplaceWithWatermark.key -> "true") {
      val in = events()
      in.addData(event("a", 10))
      def query = in.toDF().withWatermark("time", "3 seconds").dropDuplicates("sub", "time")
      // Only a query that starts knows the reason.
      assert(
        operators(explained(query)) === operators(started(query)).filterNot(_ == "KeptBySpark")
      )
    }
  }

  test(
    "a function that explains a query with the same operator does not disturb the one that runs"
  ) {
    val (in, other) = (events(), events())
    def query(rows: DataFrame) =
      rows.withKeyedWatermark("time", "0 seconds").dropDuplicates("sub", "time")
    val run = new Run(query(in.toDF()))
    run.failIn = _ => {
      query(other.toDF()).explain()
      false
    }
    run.start()
    in.addData(event("a", 10))
    run.settle()
    in.addData(event("a", 10), event("a", 5), event("a", 20))
    run.settle()
    assert(run.lateRows === Map("deduplicate" -> 1L))
    assert(run.answer === Seq("a|10|1", "a|20|1"))
    run.stop()
  }
}
