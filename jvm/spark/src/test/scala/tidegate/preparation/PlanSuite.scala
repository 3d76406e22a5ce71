package tidegate
package preparation

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.execution.WholeStageCodegenExec
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.builders.Between
import tidegate.clock.ClockTable
import tidegate.columns.EventTimeTag
import tidegate.core.clock.{ClockState, InputTime, NodeMark, NodeTime, QueryClock, QuerySpec, Time}
import tidegate.execution.KeyedWatermarkExec
import tidegate.operators.{CountWithoutTime, KeyedTimes}
import tidegate.plans.KeyedWatermark
import tidegate.preparation.CompleteJoinConditions

/** Plans, without data. */
class PlanSuite extends KeyedStreamTest {

  test("batch data: the call is the identity, once its arguments have been checked") {
    val batch = spark.range(3).select(timestamp_seconds(col("id")).as("time"))
    assert(batch.withKeyedWatermark("time", "1 second") eq batch)
    intercept[org.apache.spark.sql.AnalysisException](batch.withKeyedWatermark("tiem", "1 second"))
  }

  test("the node adds the key and Spark's tag to the column, and changes nothing else") {
    val in = events().toDF()
    val keyed = in.withKeyedWatermark("time", "5 seconds", key = 3)
    assert(keyed.schema.map(f => f.name -> f.dataType) === in.schema.map(f => f.name -> f.dataType))
    val time = SparkInternals.analyzed(keyed).output.find(_.name == "time").get
    assert(EventTimeTag.key(time) === Some(3))
    assert(time.metadata.getLong("spark.watermarkDelayMs") === 5000L)
  }

  test("one clock for a plan, wherever its watermark nodes come from") {
    val a = events().toDF().withKeyedWatermark("time", "1 second", name = "a")
    val b = events().toDF().withKeyedWatermark("time", "1 second", name = "b")
    val plan = SparkInternals.analyzed(a.union(b).union(a))
    val clocks = plan.collect { case k: KeyedWatermark => k.right }
    assert(clocks.head === ClockTable.relation)
    assert(clocks.tail.forall(_.isInstanceOf[LocalRelation]))
    assert(clocks.size === 3)
  }

  test("keys: a union passes on what all branches have, static branches are neutral") {
    val a = events().toDF().withKeyedWatermark("time", "1 second", key = 1, name = "a")
    val b = events().toDF()
    def keys(df: DataFrame) = KeyedTimes.of(SparkInternals.analyzed(df))
    assert(keys(a) === Map(1.toByte -> NodeTime("a")))
    assert(keys(a.union(b)) === Map.empty)
    assert(keys(a.union(a)) === Map(1.toByte -> NodeTime("a")))
    val static = spark.range(1).select(lit("a").as("sub"))
    assert(keys(a.join(static, "sub")).keySet === Set(1.toByte))
  }

  test("keys: operators without state pass them on") {
    val df = events()
      .toDF()
      .withKeyedWatermark("time", "1 second", key = 3)
      .withColumn("part", explode(split(col("sub"), ",")))
      .where("n > 0")
      .repartition(2, col("part"))
      .select(col("time").as("renamed"), col("part"))
    assert(KeyedTimes.of(SparkInternals.analyzed(df)).keySet === Set(3.toByte))
    assert(df.queryExecution.analyzed.output.flatMap(EventTimeTag.key) === Seq(3.toByte))
  }

  test("keys: a copy of a time has its limit") {
    val twice = events()
      .toDF()
      .withKeyedWatermark("time", "1 second", name = "a")
      .select(col("n"), col("time"), col("time").as("again"))
    val other = events()
      .toDF()
      .select(col("n").as("m"), col("time").as("other"))
      .withKeyedWatermark("other", "1 second", key = 1, name = "b")
    val joined = twice.join(
      other,
      expr("n = m and time = other")
    )
    val Some(time) = KeyedTimes.of(SparkInternals.analyzed(joined)).get(0): @unchecked
    val marks = Map("a" -> 100000L, "b" -> 60000L)
    assert(timeAt(marks, time) === Time(Some(60000L), idle = false, "b"))
  }

  private def timeAt(watermarksMs: Map[String, Long], time: InputTime): Time = {
    val nodes = watermarksMs.map { case (name, ms) => name -> NodeMark(0, Some(ms), idle = false) }
    QueryClock.timeIn(QuerySpec(Nil, Nil), ClockState.empty.copy(nodes = nodes), time)
  }

  test("keys: a second column with a key and without a limit keeps the key in a join") {
    val (a, b) = (
      events().toDF().select(col("n"), col("time")).withKeyedWatermark("time", "1 second"),
      events().toDF().select(col("n").as("m"), col("time")).withKeyedWatermark("time", "1 second")
    )
    val c = events()
      .toDF()
      .select(col("n").as("k"), col("time").as("other"))
      .withKeyedWatermark("other", "1 second", key = 1)
    val pairs = a.join(b, col("n") === col("m") && a("time") === b("time"))
    def keys(df: DataFrame) = KeyedTimes.of(SparkInternals.analyzed(df)).keySet
    assert(keys(pairs) === Set(0.toByte))
    val one = pairs.join(c, col("n") === col("k") && b("time") === c("other"))
    assert(keys(one) === Set(1.toByte))
    val both = one.where(a("time") === c("other"))
    val prepared = CompleteJoinConditions(SparkInternals.analyzed(both))
    assert(KeyedTimes.of(prepared).keySet === Set(0.toByte, 1.toByte))
  }

  test("keys: the branches of a union have a key at the same place") {
    def branch(first: String, second: String) =
      events().toDF().select(col("time").as(first), col("time").as(second))
    val one = branch("x", "y").withKeyedWatermark("x", "1 second")
    val same = branch("a", "b").withKeyedWatermark("a", "1 second")
    val other = branch("a", "b").withKeyedWatermark("b", "1 second")
    def keys(df: DataFrame) = KeyedTimes.of(SparkInternals.analyzed(df)).keySet
    assert(keys(one.union(same)) === Set(0.toByte))
    assert(keys(one.union(other)) === Set.empty)
    val missing = KeyedTimes.whyMissing(SparkInternals.analyzed(one.union(other)), 0)
    assert(
      missing === "branch 2 of the union, with the columns a, b, has this key on another column; " +
        "put it at the same place with select"
    )
  }

  test("keys: the time that goes with a window may be as old as its start") {
    val in = events().toDF().withKeyedWatermark("time", "1 second", name = "a")
    def time(df: DataFrame) =
      KeyedTimes.of(SparkInternals.analyzed(df)).get(0).map { t =>
        timeAt(Map("a" -> 65000L), t).watermarkMs.get
      }
    val sliding = window(col("time"), "60 seconds", "10 seconds")
    assert(time(in.groupBy(sliding).count()) === Some(60000L))
    assert(time(in.groupBy(sliding, col("time")).count()) === Some(10000L))
    assert(
      time(in.groupBy(window(col("time"), "60 seconds"), col("time")).count()) === Some(60000L)
    )
    assert(time(in.groupBy(session_window(col("time"), "5 seconds")).count()) === Some(65000L))
    assert(time(in.groupBy(session_window(col("time"), "5 seconds"), col("time")).count()) === None)
    // A plain time leaves in whole ms, when it has passed.
    assert(time(in.groupBy("time").count()) === Some(64999L))
  }

  test("the node is part of whole-stage generated code") {
    val in = events()
    val run = new Run(
      in.toDF()
        .withKeyedWatermark("time", "1 second", substream = Seq("sub", "n"))
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    ).start()
    in.addData(event("a", 5))
    run.settle()
    val plan = SparkInternals.execution(run.query).get.lastExecution.executedPlan
    val generated = plan.collect { case w: WholeStageCodegenExec => w }
    assert(generated.exists(_.child.exists(_.isInstanceOf[KeyedWatermarkExec])))
  }

  test("without generated code the rows, the times and the late rows are the same") {
    withConf("spark.sql.codegen.wholeStage" -> "false") {
      val in = events()
      val run = new Run(
        in.toDF()
          .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))
          .groupBy(window(col("time"), "20 seconds", "10 seconds"))
          .count()
      ).start()
      in.addData(event("a", 5), event("b", 35))
      run.settle()
      in.addData(event("a", 45))
      run.settle()
      in.addData(event("a", 6), event("a", 24))
      run.settle()
      assert(run.answer === Seq("[-10,10)|1", "[0,20)|1"))
      assert(run.lateRows === Map("aggregate" -> 1L))
      assert(run.watermark("time") === Some(35000L))
    }
  }

  test("a common table expression, referenced once and twice") {
    Seq(
      "WITH t AS (SELECT * FROM keyed_events) " +
        "SELECT window(time, '10 seconds'), count(*) FROM t GROUP BY 1" -> "[0,10)|1",
      "WITH t AS (SELECT * FROM keyed_events), u AS (SELECT * FROM t UNION ALL SELECT * FROM t) " +
        "SELECT window(time, '10 seconds'), count(*) FROM u GROUP BY 1" -> "[0,10)|2"
    ).foreach { case (sql, expected) =>
      val source = events()
      source.toDF().withKeyedWatermark("time", "0 seconds").createOrReplaceTempView("keyed_events")
      val run = new Run(spark.sql(sql)).start()
      source.addData(event("a", 5))
      run.settle()
      source.addData(event("a", 25))
      run.settle()
      assert(run.answer === Seq(expected))
      run.stop()
    }
  }

  test("an operator without event time does not ask which of two keys it runs on") {
    val in = events()
    val keyed = in
      .toDF()
      .withColumn("time2", col("time") + expr("interval 1 second"))
      .withKeyedWatermark("time", "0 seconds", key = 0)
      .withKeyedWatermark("time2", "0 seconds", key = 7)
    val run = new Run(CountWithoutTime(keyed), mode = OutputMode.Update()).start()
    in.addData(event("a", 5), event("a", 6))
    run.settle()
    assert(run.answer === Seq("2"))
  }

  test("explain of a frame that is not started has no watermark, and does not fail") {
    val df = events().toDF().withKeyedWatermark("time", "1 second")
    df.explain(true)
  }

  test("explain of a running query has the times of each operator and node") {
    val (l, r) = (events(), events())
    val run = new Run({
      val orders = l.toDF().select(col("n"), col("time").as("order_time"))
      val deliveries = r.toDF().select(col("n"), col("time").as("delivery_time"))
      orders
        .withKeyedWatermark("order_time", "1 second", idleTimeout = "5 seconds")
        .streamJoin(
          deliveries.withKeyedWatermark("delivery_time", "2 seconds", key = 1),
          Seq("n"),
          "leftOuter",
          Between("delivery_time", "order_time", "0 seconds", "10 seconds")
        )
        .groupBy(window(col("order_time"), "10 seconds"))
        .count()
    }).start()
    l.addData(event("a", 45))
    r.addData(event("a", 40))
    run.settle()
    run.clock.advance(5000)
    r.addData(event("a", 62))
    run.settle()
    val plan = SparkInternals.execution(run.query).get.explainInternal(false)
    def told(node: String): Seq[String] =
      plan.linesIterator.filter(_.contains(s"$node ")).map(_.replaceAll("#\\d+|-T\\d+ms", "")).toSeq
    assert(
      told("KeyedWatermark").map(_.split("KeyedWatermark ").last) === Seq(
        "order_time: order_time, key=0, fixedLag(1000 ms), watermark 1970-01-01T00:00:44Z, idle=true",
        "delivery_time: delivery_time, key=1, fixedLag(2000 ms), watermark 1970-01-01T00:01:00Z, " +
          "idle=false"
      )
    )
    assert(
      told("KeyedOperator").map(_.split("KeyedOperator ").last) === Seq(
        "aggregate: order_time, key=0, late below 1970-01-01T00:00:28Z, eviction below " +
          "1970-01-01T00:00:44Z, idle=false",
        "join.left: order_time, key=0, late below 1970-01-01T00:00:44Z, eviction below " +
          "1970-01-01T00:00:50Z, idle=true; join.right: delivery_time, key=1, late below " +
          "1970-01-01T00:00:38Z, eviction below 1970-01-01T00:00:44Z, idle=false"
      )
    )
  }

  test("timestamps without a time zone close windows too") {
    val in = events()
    val run = new Run(
      in.toDF()
        .withColumn("time", col("time").cast("timestamp_ntz"))
        .withKeyedWatermark("time", "0 seconds")
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    ).start()
    in.addData(event("a", 5))
    run.settle()
    in.addData(event("a", 15))
    run.settle()
    assert(run.rows.map(_.getLong(1)) === Seq(1L))
  }

  test("default emission: the greatest frame that serves all windows downstream") {
    val keyed = events().toDF().withKeyedWatermark("time", "0 seconds")
    def frames(df: DataFrame): (Long, Long) = {
      val query = df.writeStream.format("noop").start()
      try {
        query.processAllAvailable()
        val spec = tidegate.clock.RunningQuery
          .of(SparkInternals.execution(query).get)
          .get
          .nodes
          .head
          .spec
        spec.emission.get.sizeMs -> spec.emission.get.offsetMs
      } finally query.stop()
    }
    assert(frames(keyed.groupBy(window(col("time"), "10 seconds")).count()) === (10000L -> 0L))
    assert(
      frames(
        keyed
          .groupBy(window(col("time"), "1 minute", "15 seconds", "5 seconds"))
          .count()
      ) === (15000L -> 5000L)
    )
    assert(
      frames(
        keyed
          .groupBy(window(col("time"), "6 seconds"))
          .count()
          .groupBy(window(window_time(col("window")), "15 seconds"))
          .count()
      ) === (3000L -> 0L)
    )
    assert(
      frames(keyed.groupBy(session_window(col("time"), "7 seconds"), col("sub")).count()) ===
        (1000L -> 0L)
    )
  }
}
