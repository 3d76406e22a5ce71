package tidegate.javaapi

import java.lang.reflect.{Method, Modifier}
import java.time.Duration

import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, Dataset}
import tidegate.plans.{AsyncMap, CallOptions, KeyedWatermark}
import tidegate.{
  AsyncFunction,
  KeyedStreamTest,
  KeyedTimeDataset,
  byFrame,
  byMinStep,
  fixedLag,
  limitingLagAndLull
}

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

  test("all options of a keyed watermark arrive, and all defaults are Scala's") {
    val in = events().toDF()
    val chosen = KeyedWatermarkOptions
      .policy(Policies.limitingLagAndLull("5 seconds", "1 minute"))
      .key(3)
      .substream("sub", "n")
      .idleTimeout(Duration.ofSeconds(7))
      .emission(Policies.byFrame("10 seconds", "-1 second"))
      .name("orders")
      .maxFutureSkew("1 hour")
      .flush(true)
      .idleBehind("3 seconds")
      .lateRows("/data/late")
      .allowedLateness("1 hour")
    assert(
      node(Tidegate.withKeyedWatermark(in, "time", chosen)) === node(
        in.withKeyedWatermark(
          "time",
          key = 3,
          policy = limitingLagAndLull("5 seconds", "1 minute"),
          substream = Seq("sub", "n"),
          idleTimeout = "7 seconds",
          emission = byFrame("10 seconds", "-1 second"),
          name = "orders",
          maxFutureSkew = "1 hour",
          flush = true,
          idleBehind = "3 seconds",
          lateRows = "/data/late",
          allowedLateness = "1 hour"
        )
      )
    )
    val plain = node(in.withKeyedWatermark("time", "5 seconds"))
    assert(node(Tidegate.withKeyedWatermark(in, "time", "5 seconds")) === plain)
    assert(node(Tidegate.withKeyedWatermark(in, "time", Duration.ofSeconds(5))) === plain)
    assert(
      node(
        Tidegate.withKeyedWatermark(in, "time", KeyedWatermarkOptions.lag("5 seconds").neverIdle())
      ) === node(in.withKeyedWatermark("time", "5 seconds", idleTimeout = null))
    )
  }

  test("all options of an ingestion watermark arrive, and all defaults are Scala's") {
    val in = events().toDF().selectExpr("*", "time AS timestamp", "time AS appended")
    val chosen = IngestionWatermarkOptions
      .maxEventTimeLag(Duration.ofMinutes(1))
      .ingestionTime("appended")
      .substream("sub")
      .maxIdleLag("3 seconds")
      .key(3)
      .emission(Policies.byMinStep(Duration.ofSeconds(2)))
      .name("orders")
      .flush(true)
    assert(
      node(Tidegate.withIngestionWatermark(in, "time", chosen)) === node(
        in.withIngestionWatermark(
          "time",
          "1 minute",
          "appended",
          Seq("sub"),
          "3 seconds",
          3,
          byMinStep("2 seconds"),
          "orders",
          flush = true
        )
      )
    )
    val plain = IngestionWatermarkOptions.maxEventTimeLag("1 minute")
    assert(
      node(Tidegate.withIngestionWatermark(in, "time", plain)) ===
        node(in.withIngestionWatermark("time", "1 minute"))
    )
  }

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
