package tidegate.javaapi

import java.lang.reflect.{Method, Modifier}
import java.time.Duration

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, Dataset}
import tidegate.plans.{AsyncMap, CallOptions, KeyedWatermark}
import tidegate.{AsyncFunction, KeyedStreamTest, KeyedTimeDataset, explainTime, fixedLag, progress}

/** The methods for Java do what Scala's do, and ask for no type of Scala. */
class JavaApiSuite extends KeyedStreamTest {
  import JavaApiSuite._

  /** What a keyed watermark was made of, apart from its input. */
  private def node(ds: Dataset[_]): (Any, Any, Any, Any) =
    SparkInternals
      .analyzed(ds)
      .collectFirst { case n: KeyedWatermark =>
        (n.spec, n.eventTime.name, n.substream.map(_.name), n.ingestionTime.map(_.name))
      }
      .get

  private def calls(ds: Dataset[_]): CallOptions =
    SparkInternals.analyzed(ds).collectFirst { case n: AsyncMap => n.options }.get

  test("all options of asynchronous calls arrive, and all defaults are Scala's") {
    val in = spark.range(3).toDF("id")
    val call: AsyncCall = (_, _) => null
    val chosen = AsyncOptions
      .defaults()
      .ordered(false)
      .maxInFlight(7)
      .timeout(Duration.ofMillis(1500))
      .retries(5)
      .onErrorNull()
      .breakAfter(9)
      .name("price")
    val function: AsyncFunction = (_, _) => null
    assert(
      calls(Tidegate.mapAsync(in, Ids, chosen, call)) ===
        calls(in.mapAsyncWith(Ids, false, 7, "1.5 seconds", 5, "null", null, 9, "price")(function))
    )
    assert(
      calls(Tidegate.mapAsync(in, Ids, AsyncOptions.defaults().name("price").noTimeout(), call)) ===
        calls(in.mapAsyncWith(Ids, name = "price", timeout = null)(function))
    )
    assert(calls(Tidegate.mapAsync(in, Ids, call)).function.startsWith(getClass.getName))
  }

  test("a duration in Java is refused where its text would be, by the same sentence") {
    def refusal(lag: Duration): String =
      intercept[AnalysisException](KeyedWatermarkOptions.lag(lag)).getMessage
    assert(
      refusal(Duration.ofNanos(1500)) ===
        "[TIDEGATE_INVALID_DURATION] The argument `lag` is 'PT0.0000015S', which is not a " +
        "duration. Use an interval without months or years, in whole milliseconds, for example " +
        "'5 seconds'. SQLSTATE: 22006"
    )
    assert(refusal(null) === refusal(Duration.ofNanos(1500)).replace("PT0.0000015S", "null"))
    assert(
      refusal(Duration.ofMillis(-1500)) ===
        "[TIDEGATE_DURATION_TOO_SMALL] The argument `lag` is '-1.5 seconds', but must be at " +
        "least 0 ms. Use a duration such as '5 seconds'. SQLSTATE: 22023"
    )
    assert(Policies.fixedLag(Duration.ofDays(3).plusMillis(1)) === fixedLag("259200.001 seconds"))
  }

  test("a policy that is null is refused") {
    val error = intercept[NullPointerException](KeyedWatermarkOptions.policy(null))
    assert(
      error.getMessage ===
        "policy must be a policy such as Policies.fixedLag(\"5 seconds\"), found null."
    )
  }

  test("options are copied, so one object can be the start of several") {
    val in = events().toDF()
    val lag = KeyedWatermarkOptions.lag("5 seconds")
    val columns = Array("sub")
    val orders = lag.name("orders").substream(columns: _*)
    columns(0) = "n"
    assert(
      node(Tidegate.withKeyedWatermark(in, "time", lag)) ===
        node(in.withKeyedWatermark("time", "5 seconds"))
    )
    assert(
      node(Tidegate.withKeyedWatermark(in, "time", orders)) ===
        node(in.withKeyedWatermark("time", "5 seconds", substream = Seq("sub"), name = "orders"))
    )
  }

  test("order and names of operators are Scala's, on batch data too") {
    val in = spark.range(3).selectExpr("id", "timestamp_seconds(10 - id) AS time")
    assert(Tidegate.orderByEventTime(in).collect().map(_.getLong(0)).toSeq === Seq(2, 1, 0))
    val named = Tidegate.tidegateName(in, "hourly")
    assert(SparkInternals.analyzed(named) === SparkInternals.analyzed(in.tidegateName("hourly")))
  }

  test("the first rows of groups are Scala's, and their arguments are checked") {
    val in = spark.range(6).selectExpr("id", "id % 2 AS shop")
    val (shops, order) = (java.util.List.of("shop"), java.util.List.of(col("id").desc))
    assert(Tidegate.topN(in, 1, shops, order).collect().map(_.getLong(0)).toSet === Set(4, 5))
    assert(
      Tidegate.topN(in, 2, shops, order, "a.b").collect().toSet ===
        in.topN(2, Seq("shop"), Seq(col("id").desc), "a.b").collect().toSet
    )
    def refused(body: => Any) = intercept[AnalysisException](body).getMessage
    def sentence(argument: String, found: String, wanted: String) =
      s"[TIDEGATE_TOP_N_ARGUMENT] The argument `$argument` of topN is $found, but must be $wanted. " +
        "An example: topN(3, partitionBy = Seq(\"window\"), orderBy = Seq(desc(\"price\"))). " +
        "SQLSTATE: 22023"
    assert(
      refused(Tidegate.topN(in, 0, shops, order)) ===
        sentence("n", "0", "a number of rows of 1 or more")
    )
    assert(
      refused(in.topN(1, Nil, Seq(col("id")))) ===
        sentence("partitionBy", "empty", "the columns of a group")
    )
    assert(
      refused(in.topN(1, Seq("shop"), Nil)) ===
        sentence("orderBy", "empty", "the columns that say which rows come first")
    )
    assert(
      refused(in.topN(1, Seq("shop"), Seq(col("id")), "ID")) ===
        sentence("rank", "'ID', which the input has", "the name of a new column")
    )
  }

  test("as-of joins are Scala's, on batch data too") {
    def table(name: String, rows: (Int, Int)*) = {
      import spark.implicits._
      rows.toDF("id", "s").selectExpr("id", s"timestamp_seconds(s) AS $name", s"s AS n_$name")
    }
    val (orders, rates) = (table("at", 1 -> 5, 1 -> 9, 2 -> 7), table("since", 1 -> 4, 1 -> 6))
    def same(java: Dataset[_], scala: Dataset[_], size: Int) = {
      assert(java.toDF().collect().toSet === scala.toDF().collect().toSet)
      assert(java.count() === size)
    }
    val on = orders("id") === rates("id")
    val second = Duration.ofSeconds(1)
    same(Tidegate.asOfJoin(orders, rates, "id", "inner"), orders.asOfJoin(rates, Seq("id")), 2)
    same(
      Tidegate.asOfJoin(orders, rates, on, "left", "at", "since", second),
      orders.asOfJoin(rates, on, "at", "since", "left", "1 second"),
      3
    )
    same(
      Tidegate.asOfJoin(orders, rates, java.util.List.of("id"), "left", null, null, second),
      orders.asOfJoin(rates, Seq("id"), how = "left", tolerance = "1 second"),
      3
    )
  }

  test("what batches did to time, and the explanation, are Scala's") {
    val in = events()
    val keyed = in.toDF().withKeyedWatermark("time", "1 second", name = "orders")
    val run = new Run(keyed.dropDuplicates("sub", "time")).start()
    in.addData(event("a", 31))
    run.settle()
    val scala = progress(run.query)
    val java = Tidegate.progress(run.query)
    assert(java.size === scala.size)
    assert(Tidegate.progress(run.query, 1).get(0) === java.get(java.size - 1))
    val (of, to) = (scala.last, java.get(java.size - 1))
    assert((to.batchId, to.wallClock, to.batchTime) === ((of.batchId, of.wallClock, of.batchTime)))
    assert(to.watermarks.get("orders").lagMs.get === of.watermarks("orders").lagMs.get)
    assert(to.watermarks.get("orders").watermark.get === of.watermarks("orders").watermark.get)
    assert(to.watermarks.get("orders").heldBackBy.get === of.watermarks("orders").heldBackBy.get)
    assert(to.operators.get("deduplicate").lateRowsTotal === 0)
    // An idle trigger before the batch has its number too.
    val told = run.query.recentProgress.filter(_.batchId == of.batchId).last
    assert(Tidegate.progressOf(told).get === to)
    assert(Tidegate.explainTime(run.query) === explainTime(run.query))
  }

  test("everything that Scala has is there for Java") {
    val ofDatasets = methods(classOf[KeyedTimeDataset[_]]).map(_.getName).toSet
    val functions = methods(tidegate.`package`.getClass).map(_.getName).toSet
    val there = Seq[Class[_]](classOf[Tidegate], classOf[Policies], classOf[Snapshots])
    // A call for Java has what `mapAsyncWith` adds.
    val missing =
      ofDatasets ++ functions - "mapAsyncWith" -- there.flatMap(methods).map(_.getName)
    assert(missing.toSeq.sorted === Nil)
    assert(ofDatasets("streamJoin") && functions("checkCompatibility"))
  }

  test("no signature for Java has a type of Scala") {
    def ofScala(m: Method): Boolean = {
      val types = m.getGenericReturnType +: m.getGenericParameterTypes.toSeq
      types.exists(_.getTypeName.contains("scala."))
    }
    assert(Public.flatMap(methods).filter(ofScala).map(_.toGenericString) === Nil)
    val forScala = methods(classOf[KeyedTimeDataset[_]])
    assert(forScala.exists(ofScala))
  }
}

object JavaApiSuite {
  private val Ids = StructType.fromDDL("id long")

  private val Public: Seq[Class[_]] = Seq(
    classOf[Tidegate],
    classOf[Policies],
    classOf[Snapshots],
    classOf[KeyedWatermarkOptions],
    classOf[IngestionWatermarkOptions],
    classOf[AsyncOptions],
    classOf[AsyncCall],
    classOf[CallKey],
    classOf[QueryWatermarks],
    classOf[WatermarkStatus],
    classOf[OperatorStatus],
    classOf[SubstreamStatus],
    classOf[BatchProgress],
    classOf[WatermarkProgress],
    classOf[OperatorProgress],
    classOf[Inspection],
    classOf[InspectedStage],
    classOf[Compatibility],
    classOf[StageVerdict]
  )

  /** The public methods that a user calls: those of Scala begin with a small letter. */
  private def methods(owner: Class[_]): Seq[Method] =
    owner.getMethods.toSeq.filter { m =>
      m.getDeclaringClass != classOf[Object] && Modifier.isPublic(m.getModifiers) &&
      m.getName.head.isLower && !m.getName.contains("$") && !m.isSynthetic &&
      !Set("equals", "hashCode", "toString")(m.getName)
    }
}
