package tidegate
package builders

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SimpleMode
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.clock.RunningQuery
import tidegate.columns.EventTimeTag
import tidegate.core.clock.NodeTime
import tidegate.operators.KeyedTimes
import tidegate.own.order.{EventTimeOrder, OrderTest}
import tidegate.own.windows.FrameTest

/** Plans with an event-time order: what they show, which column they take, and tables. */
class OrderPlanSuite extends OrderTest {

  private def rows: DataFrame = keyed(events().toDF())

  private def table: DataFrame = spark
    .range(20)
    .select((col("id") % 3).as("k"), timestamp_seconds((col("id") * 7) % 20).as("time"))

  private def orderOf(df: DataFrame): EventTimeOrder =
    SparkInternals.analyzed(df).collectFirst { case o: EventTimeOrder => o }.get

  private def timeOf(df: DataFrame): String = orderOf(df).eventTime.name

  private def plain(text: String): String = text.replaceAll("#\\d+L?(-T\\d+ms)?", "")

  test("EXPLAIN shows the columns, and of a running query the watermarks") {
    val explained = rows.orderByEventTime(Seq("sub", "n")).queryExecution.explainString(SimpleMode)
    assert(plain(explained).contains("EventTimeOrder(partitionBy=[sub, n], eventTime=time)"))
    val in = events()
    val run = new Run(keyed(in.toDF()).orderByEventTime(Seq("sub"))).start()
    in.addData(event("a", 5))
    run.settle()
    in.addData(event("a", 7))
    run.settle()
    val running = plain(FrameTest.planOf(run.query).toString)
    assert(
      running.contains(
        "KeyedOperator orderByEventTime: time, key=0, late below 1970-01-01T00:00:05Z, eviction " +
          "below 1970-01-01T00:00:07Z, idle=false"
      ),
      running
    )
    assert(running.contains("EventTimeOrder(partitionBy=[sub], eventTime=time)"))
    run.stop()
  }

  test("rows are shuffled once by the keys, and into one partition without keys") {
    def exchanges(df: DataFrame) =
      "Exchange \\w+".r.findAllIn(plain(df.queryExecution.explainString(SimpleMode))).toSeq
    assert(exchanges(rows.orderByEventTime(Seq("sub"))) === Seq("Exchange hashpartitioning"))
    withConf("spark.sql.shuffle.partitions" -> "3") {
      assert(exchanges(rows.orderByEventTime()) === Seq("Exchange SinglePartition"))
    }
  }

  test("keys, names of columns and their marks stay") {
    val ordered = rows.orderByEventTime(Seq("sub"))
    assert(ordered.columns.toSeq === Seq("sub", "time", "n"))
    assert(KeyedTimes.of(SparkInternals.analyzed(ordered)) === Map(0.toByte -> NodeTime("time")))
    val time = SparkInternals.analyzed(ordered).output.find(_.name == "time").get
    assert(EventTimeTag.key(time) === Some(0.toByte))
    assert(rows.as[Event](KeyedStreamTest.eventEncoder).orderByEventTime().schema === rows.schema)
  }

  test("the watermark becomes visible every second") {
    val run = new Run(rows.orderByEventTime()).start()
    run.settle()
    val nodes = RunningQuery.of(SparkInternals.execution(run.query).get).get.nodes
    assert(nodes.map(_.spec.emission.get) === Seq(byFrame("1 second")))
    run.stop()
  }

  test("the column is the one with a watermark: a plain time before its windows") {
    assert(timeOf(rows.orderByEventTime()) === "time")
    rows.createOrReplaceTempView("o")
    val windows = spark.sql("SELECT * FROM TUMBLE(o, DESCRIPTOR(time), 10 seconds)")
    assert(timeOf(windows.orderByEventTime()) === "time")
    assert(timeOf(windows.drop("time").orderByEventTime()) === "window_end")
    assert(timeOf(windows.orderByEventTime(eventTime = "window_time")) === "window_time")
    assert(
      timeOf(rows.groupBy(window(col("time"), "1 second")).count().orderByEventTime()) === "window"
    )
    assert(timeOf(rows.alias("q").orderByEventTime(Seq("q.sub"), "q.time")) === "time")
  }

  test("SQL is the same as the method") {
    rows.createOrReplaceTempView("o")
    val method = spark.table("o").orderByEventTime(Seq("sub", "n"), "time")
    for (
      call <- Seq(
        "ORDER_BY_TIME(TABLE(o) PARTITION BY sub, n, DESCRIPTOR(time))",
        "order_by_time(o PARTITION BY (sub, n), timecol => DESCRIPTOR(time))",
        "ORDER_BY_TIME(TABLE(o), DESCRIPTOR(time), partition_by => DESCRIPTOR(sub, n))",
        "ORDER_BY_TIME(TABLE(o), partition_by => array('sub', 'n'))",
        "ORDER_BY_TIME(TABLE(o) PARTITION BY (sub, n))",
        "ORDER_BY_TIME(TABLE(SELECT * FROM o) PARTITION BY sub, n, DESCRIPTOR(time))"
      )
    ) withClue(call) {
      val sql = orderOf(spark.sql(s"SELECT * FROM $call"))
      assert(sql.partitionBy.map(_.name) === orderOf(method).partitionBy.map(_.name))
      assert(sql.eventTime.name === "time")
    }
    val whole = orderOf(spark.sql("SELECT * FROM ORDER_BY_TIME(o, DESCRIPTOR(time))"))
    assert(whole.partitionBy === Nil)
  }

  test("SQL over a common table expression and a view") {
    for (
      text <- Seq(
        "WITH c AS (SELECT * FROM o) SELECT n FROM ORDER_BY_TIME(c PARTITION BY sub, DESCRIPTOR(time))",
        "SELECT n FROM v"
      )
    ) {
      val in = events()
      keyed(in.toDF()).createOrReplaceTempView("o")
      spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM ORDER_BY_TIME(o, DESCRIPTOR(time))"
      )
      val run = new Run(spark.sql(text)).start()
      in.addData(event("a", 1003, 1), event("a", 1001, 2), event("a", 1005, 3))
      assert(run.settle().rows.map(_.getInt(0)) === Seq(2, 1))
      run.stop()
    }
  }

  test("a table is sorted as a whole, or by each key within a partition") {
    val sorted = table.orderByEventTime(eventTime = "time").collect().map(_.getTimestamp(1).getTime)
    assert(sorted.toSeq === sorted.sorted.toSeq)
    // The only time of a table needs no name.
    val parts = withConf("spark.sql.shuffle.partitions" -> "2") {
      table.orderByEventTime(Seq("k")).select(spark_partition_id(), col("k"), col("time")).collect()
    }
    assert(parts.length === 20)
    parts.groupBy(_.getLong(1)).values.foreach { ofKey =>
      assert(ofKey.map(_.getInt(0)).distinct.length === 1)
      val times = ofKey.map(_.getTimestamp(2).getTime)
      assert(times.toSeq === times.sorted.toSeq)
    }
    table.createOrReplaceTempView("t")
    assert(
      spark.sql("SELECT * FROM ORDER_BY_TIME(TABLE(t), DESCRIPTOR(time))").collect().toSeq ===
        table.orderByEventTime().collect().toSeq
    )
  }
}
