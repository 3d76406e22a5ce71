package tidegate
package own.order

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import tidegate.SparkClasses.MemoryStream

/** The state of an order: by Spark's reader, when it is large, and when the query was changed. */
class OrderStateSuite extends OrderTest {

  private def state(run: Run): DataFrame =
    spark.read.format("statestore").option("operatorId", 1000L).load(run.checkpoint.toString)

  private def onStores(title: String)(body: => Unit): Unit =
    StateStoreKind.tested.foreach { store =>
      test(s"$title, on ${store.name}")(withConf(store.conf.toSeq: _*)(body))
    }

  private def started(query: DataFrame => DataFrame): (MemoryStream[Event], Run) = {
    val in = events()
    in -> new Run(query(in.toDF())).start()
  }

  onStores("Spark reads the rows that wait") {
    assume(SparkFeatures.readsState(spark.conf))
    val (in, run) = started(keyed(_).orderByEventTime(Seq("sub")))
    in.addData(event("a", 3, 1), event("b", 7, 2), event("a", 5, 3), event("b", 7, 4))
    run.settle()
    assert(run.query.lastProgress.stateOperators.head.operatorName === "orderByEventTime")
    assert(run.stateRows === 2)
    run.stop()
    val read = state(run)
    val rows = read.selectExpr("inline(value.rows)")
    assert(rows.columns.toSeq === Seq("sub", "time", "n"))
    assert(
      rows.collect().toSeq === Seq(
        Row("a", at(3), 1),
        Row("a", at(5), 3),
        Row("b", at(7), 2),
        Row("b", at(7), 4)
      )
    )
    // Of the page, these have left; the watermark became visible in the batch after its rows.
    val head = read.where("length(key.arrival) = 0")
    assert(
      head.select("value.taken_up_to", "value.waiting").collect().toSeq === Seq(Row(6999999L, 2L))
    )
    val stages = inspectSnapshot(run.checkpoint.toString).stages
    assert(stages.find(_.kind == "operator").flatMap(_.rows) === Some(2L))
    val metadata = spark.read.format("state-metadata").load(run.checkpoint.toString)
    assert(
      metadata.select("operatorId", "operatorName", "stateStoreName").collect().toSeq ===
        Seq(Row(1000L, "orderByEventTime", "default"))
    )
  }

  onStores("what has left is not in the state any more, and numbers of rows are counted") {
    val (in, run) = started(keyed(_).orderByEventTime())
    in.addData((1 to 100).map(i => event("a", i.toDouble, i)))
    run.settle()
    assert(run.stateRows === 1)
    in.addData(event("a", 200))
    run.settle()
    assert(run.stateRows === 1)
    // Spark repeats the last numbers while it waits.
    val progress = run.query.recentProgress
      .filter(_.durationMs.containsKey("addBatch"))
      .flatMap(_.stateOperators)
    assert(progress.map(_.numRowsUpdated).sum === 101)
    assert(progress.map(_.numRowsRemoved).sum === 100)
    run.stop()
  }

  /** Starts a query on the checkpoint of another one, which then goes on as if nothing had been. */
  private def refused(first: DataFrame => DataFrame, second: DataFrame => DataFrame)(
      start: Run => Throwable
  ): Throwable = {
    val in = events()
    val run = new Run(first(in.toDF())).start()
    in.addData(event("a", 3, 1), event("b", 7, 2))
    run.settle().stop()
    in.addData(event("a", 9, 3))
    val error = start(new Run(second(in.toDF()), run.checkpoint))
    run.clear()
    assert(run.start().settle().rows.map(_.getAs[Int]("n")) === Seq(2))
    run.stop()
    error
  }

  test("rows with another column do not fit into the state") {
    val error = refused(
      keyed(_).orderByEventTime(),
      rows => keyed(rows.withColumn("more", lit(1))).orderByEventTime()
    )(run => intercept[StreamingQueryException](run.start().settle()))
    val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
    assert(
      causes.exists(
        _.getMessage.contains("rows with fewer columns. But those of the query have more INT too.")
      )
    )
  }

  for (
    (title, first, second) <- Seq(
      ("another column is used", Seq("time", "n", "sub"), Seq("time", "n", "other")),
      (
        "columns have changed places",
        Seq("time", "n", "sub", "other"),
        Seq("time", "n", "other", "sub")
      )
    )
  ) test(s"the names of columns count: $title") {
    def query(columns: Seq[String])(rows: DataFrame) =
      keyed(rows.withColumn("other", upper(col("sub"))).select(columns.map(col): _*))
        .orderByEventTime()
        .toDF()
    val error = refused(query(first), query(second)) { run =>
      intercept[StreamingQueryException](run.start().settle())
    }
    val refusal = Iterator
      .iterate[Throwable](error)(_.getCause)
      .takeWhile(_ != null)
      .collectFirst { case e: AnalysisException => e }
    val types = Map("time" -> "TIMESTAMP", "n" -> "INT").withDefaultValue("STRING")
    def shown(columns: Seq[String]) = columns.map(c => s"$c ${types(c)}").mkString(",")
    assert(
      refusal.map(_.getMessage) === Some(
        "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `orderByEventTime`: rows that wait, " +
          s"with the columns ${shown(first)}. But the query has the columns ${shown(second)} in " +
          "their places: columns that are not used after the order are not kept. If only names have " +
          "changed, give the columns their former names before the order. Start the query as it " +
          "was, or with a new checkpoint; nothing in this one was changed. SQLSTATE: 42K03"
      )
    )
  }

  test("names of fields count, and names that Spark gives do not") {
    import OrderStateSchema.areSame
    def rows(ddl: String) = StructType.fromDDL(ddl)
    for (same <- Seq("A INT", "a BIGINT")) assert(areSame(rows("a INT"), rows(same)))
    val nested = Seq("STRUCT<%s: INT>", "ARRAY<STRUCT<%s: INT>>", "MAP<INT, STRUCT<%s: INT>>")
    for (of <- nested) {
      def named(field: String) = rows(s"s ${of.format(field)}")
      assert(!areSame(named("a"), named("b")))
    }
    assert(!areSame(rows("_c0 INT"), rows("_c1 INT")))
    assert(areSame(rows("_gen_alias_1 INT"), rows("_gen_alias_2 INT")))
    assert(areSame(rows("`max(_common_expr_0)` INT"), rows("`max(_common_expr_1)` INT")))
    val ofUsers =
      Seq(
        "doc_extract_a" -> "doc_extract_b",
        "_extract_a" -> "_extract_b",
        "my_gen_alias_1" -> "my_gen_alias_2"
      )
    for ((one, other) <- ofUsers) assert(!areSame(rows(s"$one INT"), rows(s"$other INT")))
  }

  private def refusedAtStart(
      before: String,
      now: String
  )(first: DataFrame => DataFrame, second: DataFrame => DataFrame): Unit = {
    val error = refused(first, second)(run => intercept[AnalysisException](run.start()))
    val _ = assert(
      error.getMessage.split(";\n").head ===
        "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `orderByEventTime`: rows that wait " +
        s"in the order of $before. But the query orders $now. Start the query as it was, or with a " +
        "new checkpoint; nothing in this one was changed. SQLSTATE: 42K03"
    )
  }

  test("other keys would put rows of one key into two partitions") {
    refusedAtStart("the rows of each `sub` by `time`", "the rows of each `sub`, `n` by `time`")(
      keyed(_).orderByEventTime(Seq("sub")),
      keyed(_).orderByEventTime(Seq("sub", "n"))
    )
  }

  test("rows that wait by one time are not continued by another") {
    def twice(rows: DataFrame) = keyed(rows)
      .withColumn("paid", col("time") + expr("interval 1 second"))
      .withKeyedWatermark("paid", "0 seconds", key = 1)
    refusedAtStart("all rows by `time`", "all rows by `paid`")(
      twice(_).orderByEventTime(eventTime = "time"),
      twice(_).orderByEventTime(eventTime = "paid")
    )
  }

  test("keys sort by time, batch and number, byte by byte") {
    val times = Seq(Long.MinValue, -1000001L, -1L, 0L, 1L, 255L, 256L, 1L << 40, Long.MaxValue)
    val keys = for {
      time <- times
      batch <- Seq(0L, 1L, 300L)
      key = own.order.OrderKeys(batch)
      _ <- 0 until 300
    } yield key(time)
    assert(keys.zip(keys.tail).forall { case (a, b) => compare(a, b) < 0 })
    assert(keys.map(own.order.OrderKeys.micros).distinct === times)
    assert(own.order.OrderKeys.sorted(new Random(7).shuffle(keys)) === keys)
  }

  private def compare(a: UnsafeRow, b: UnsafeRow): Int =
    java.util.Arrays.compareUnsigned(a.getBytes, b.getBytes)
}
