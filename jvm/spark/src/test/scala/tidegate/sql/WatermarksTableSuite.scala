package tidegate
package sql

import java.sql.Timestamp
import java.time.Instant

import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.TestQueries
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession}

/** `tidegate_watermarks`: the figures of `watermarks(query)`, for a name or an id of the query. */
class WatermarksTableSuite extends KeyedStreamTest {

  private def ask(arguments: String, in: SparkSession = spark): DataFrame =
    in.sql(s"SELECT * FROM tidegate_watermarks($arguments)")

  private def text(s: Any): String = s"'$s'"

  private def time(row: Row, column: String): Option[Instant] =
    Option(row.getAs[Timestamp](column)).map(_.toInstant)

  private def optional(row: Row, column: String): Option[String] =
    Option(row.getAs[String](column))

  /** What the rows say, as `watermarks` says it. */
  private def asTold(rows: Seq[Row]): QueryWatermarks = {
    val byName = rows.groupBy(_.getAs[String]("name"))
    def ofKind(kind: String) =
      byName.filter { case (_, same) => same.forall(_.getAs[String]("kind") == kind) }
    QueryWatermarks(
      ofKind("watermark").map { case (name, same) => name -> watermarkOf(same) },
      ofKind("operator").map { case (name, same) => name -> operatorOf(same.head) }
    )
  }

  private def watermarkOf(same: Seq[Row]) = WatermarkStatus(
    same.head.getAs[Int]("key"),
    time(same.head, "watermark"),
    same.head.getAs[Boolean]("idle"),
    same.head.getAs[String]("event_time"),
    optional(same.head, "held_back_by"),
    same.head.getAs[Long]("future_events"),
    same
      .filter(optional(_, "substream").isDefined)
      .map { row =>
        val idle = row.getAs[Boolean]("substream_idle")
        row.getAs[String]("substream") -> SubstreamStatus(time(row, "substream_watermark"), idle)
      }
      .toMap
  )

  private def operatorOf(row: Row) = OperatorStatus(
    row.getAs[Int]("key"),
    time(row, "watermark"),
    row.getAs[Boolean]("idle"),
    row.getAs[String]("event_time"),
    row.getAs[String]("held_back_by"),
    time(row, "eviction_watermark"),
    optional(row, "eviction_held_back_by"),
    row.getAs[Long]("late_rows"),
    row.getAs[Long]("partly_late_rows"),
    row.getAs[Long]("partly_late_windows")
  )

  private def counts(df: DataFrame): DataFrame =
    df.withKeyedWatermark("time", "1 second", substream = Seq("sub"), name = "orders")
      .groupBy(window(col("time"), "10 seconds"))
      .count()

  private def start(df: DataFrame, name: String): StreamingQuery = {
    val query = df.writeStream.format("noop").queryName(name).start()
    query.processAllAvailable()
    query
  }

  private def sentence(e: AnalysisException): String =
    e.getMessage.linesIterator.next().takeWhile(_ != ';')

  private def refused(arguments: String, in: SparkSession = spark): String =
    sentence(intercept[AnalysisException](ask(arguments, in).collect()))

  test("a query by its name, its id and the id of its run: what `watermarks` says") {
    val in = events()
    in.addData(event("a", 31), event("b", 21))
    val query = start(counts(in.toDF()), "hourly")
    in.addData(event("b", 5))
    query.processAllAvailable()
    val told = watermarks(query)
    assert(told.operators("aggregate").lateRows === 1)
    assert(told.watermarks("orders").heldBackBy.contains("b"))
    for (by <- Seq("hourly", query.id, query.runId, query.id.toString.toUpperCase)) {
      assert(asTold(ask(text(by)).collect().toSeq) === told, by)
    }
    assert(asTold(ask("query => 'hourly'").collect().toSeq) === told)
    val rows = ask("'hourly'").select("query", "query_id", "run_id", "name", "substream").collect()
    val ids = Seq("hourly", query.id.toString, query.runId.toString)
    assert(
      rows.toSeq === Seq(
        Row.fromSeq(ids ++ Seq("orders", "a")),
        Row.fromSeq(ids ++ Seq("orders", "b")),
        Row.fromSeq(ids ++ Seq("aggregate", null))
      )
    )
  }

  test("each statement asks anew, also of a view and in a join with itself") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 31))
    run.settle()
    spark
      .sql(
        "CREATE OR REPLACE TEMPORARY VIEW orders_time AS SELECT name, watermark FROM " +
          s"tidegate_watermarks('${run.query.id}') WHERE kind = 'watermark'"
      )
    val asked = spark.table("orders_time")
    assert(asked.collect().toSeq === Seq(Row("orders", at(30))))
    in.addData(event("a", 41))
    run.settle()
    assert(spark.table("orders_time").collect().toSeq === Seq(Row("orders", at(40))))
    val both = asked.as("x").join(asked.as("y"), Seq("name"))
    assert(both.collect().toSeq === Seq(Row("orders", at(40), at(40))))
  }

  test("a join: both of its sides, and what each waits for") {
    val (orders, deliveries) = (events(), events())
    orders.addData(event("a", 31))
    deliveries.addData(event("a", 21))
    val left = orders.toDF().withKeyedWatermark("time", "1 second", name = "orders")
    val right = deliveries
      .toDF()
      .withColumnRenamed("time", "delivered")
      .withKeyedWatermark("delivered", "1 second", key = 1, name = "deliveries")
    val between = Between("delivered", "time", "0 seconds", "5 seconds")
    val query = start(left.streamJoin(right, Seq("sub"), "leftOuter", between), "joined")
    val told = asTold(ask("'joined'").collect().toSeq)
    assert(told === watermarks(query))
    assert(told.operators("join.left").evictionHeldBackBy.contains("deliveries"))
    assert(told.operators.keySet === Set("join.left", "join.right"))
  }

  test("an idle substream, and one whose column is NULL") {
    val in = events()
    val keyed = in
      .toDF()
      .withKeyedWatermark("time", "1 second", substream = Seq("sub"), idleTimeout = "5 seconds")
    val run = new Run(keyed).start()
    in.addData(event("a", 31), event(null, 21))
    run.settle()
    run.clock.advance(5000)
    run.settle()
    in.addData(event("a", 41))
    run.settle()
    val rows = ask(text(run.query.id))
    assert(asTold(rows.collect().toSeq) === watermarks(run.query))
    assert(
      rows.select("substream_watermark", "substream_idle").collect().toSet ===
        Set(Row(at(40), false), Row(at(20), true))
    )
  }

  test("a query without a batch has a row without a substream") {
    val run = new Run(counts(events().toDF())).start().settle()
    val rows = ask(text(run.query.id)).collect().toSeq
    assert(asTold(rows) === watermarks(run.query))
    assert(rows.map(_.getAs[String]("name")) === Seq("orders", "aggregate"))
    assert(rows.forall(r => r.getAs[String]("substream") == null && time(r, "watermark").isEmpty))
  }

  test("without an argument all queries that run and have a keyed watermark") {
    val in = events()
    in.addData(event("a", 31))
    val (first, second) = (start(counts(in.toDF()), "first"), start(counts(in.toDF()), "second"))
    start(in.toDF(), "plain")
    def names = ask("").select("query").distinct().collect().map(_.getString(0)).toSet
    assert(names === Set("first", "second"))
    assert(
      asTold(ask("").where("query = 'second'").collect().toSeq) === watermarks(second)
    )
    first.stop()
    assert(names === Set("second"))
    second.stop()
    assert(ask("").collect().isEmpty)
  }

  test("a query that was stopped has its last figures, and a run that follows has its own") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 31))
    run.settle()
    val (id, firstRun, first) = (run.query.id, run.query.runId, watermarks(run.query))
    run.stop()
    assert(asTold(ask(text(id)).collect().toSeq) === first)
    run.start()
    in.addData(event("a", 41))
    run.settle()
    assert(asTold(ask(text(id)).collect().toSeq) === watermarks(run.query))
    assert(watermarks(run.query) !== first)
    assert(asTold(ask(text(firstRun)).collect().toSeq) === first)
    run.stop()
    assert(asTold(ask(text(id)).collect().toSeq) === watermarks(run.query))
  }

  test("a query that has failed has its last figures") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 31))
    run.settle()
    run.failIn = _ => true
    in.addData(event("a", 41))
    run.awaitEnd()
    assert(run.query.exception.isDefined)
    assert(asTold(ask(text(run.query.id)).collect().toSeq) === watermarks(run.query))
  }

  test("a query without keyed watermarks, and one that is not there") {
    val plain = start(events().toDF(), "plain")
    val no = intercept[AnalysisException](watermarks(plain))
    assert(no.getCondition === "TIDEGATE_NOT_A_TIDEGATE_QUERY")
    assert(refused("'plain'") === no.getMessage)
    assert(refused(text(plain.id)) === no.getMessage)
    start(counts(events().toDF()), "hourly")
    def unknown(known: String) = "[TIDEGATE_UNKNOWN_QUERY] The argument `query` of " +
      "tidegate_watermarks is 'houly', but in this session no query runs that has this name or " +
      s"id, and no query with keyed watermarks has ended that had it. There are: $known. " +
      "SQLSTATE: 42704"
    assert(refused("'houly'").contains("is 'houly'"))
    assert(refused("'houly'").contains("`hourly`"))
    // Other sessions have queries of their own.
    assert(refused("'houly'", in = spark.newSession()) === unknown("none"))
    assert(ask("", in = spark.newSession()).collect().isEmpty)
  }

  test("arguments that are no name") {
    def wrong(found: String) = "[TIDEGATE_INVALID_ARGUMENT] The argument `query` of " +
      s"tidegate_watermarks is $found, but must be a constant text such as 'orders'. " +
      "SQLSTATE: 42K09"
    assert(refused("NULL") === wrong("NULL"))
    assert(refused("5") === wrong("5"))
    assert(refused("CAST(rand() AS STRING)").startsWith("[TIDEGATE_INVALID_ARGUMENT]"))
    assert(
      refused("name => 'orders'") === "[TIDEGATE_UNKNOWN_ARGUMENT] tidegate_watermarks does not " +
        "take an argument `name`. Did you mean `query`? Its arguments are `query`. SQLSTATE: 4274K"
    )
    assert(
      refused("'a', 'b'") === "[TIDEGATE_ONE_QUERY] The function tidegate_watermarks has 2 " +
        "arguments, which is too many. It takes the name or id of a query, such as " +
        "tidegate_watermarks('orders'). SQLSTATE: 42605"
    )
  }

  test("the function is listed and described, and explained in words") {
    assert(spark.sql("SHOW FUNCTIONS LIKE 'tidegate_watermarks'").count() === 1)
    val described = spark.sql("DESCRIBE FUNCTION tidegate_watermarks").collect().map(_.getString(0))
    assert(described.exists(_.startsWith("Usage: tidegate_watermarks([query]) - The watermarks")))
    val plan = TestQueries.explain(ask("'hourly'"), ExplainMode.fromString("formatted"))
    assert(plan.contains("WatermarksTable"))
    assert(plan.contains("hourly"))
  }
}
