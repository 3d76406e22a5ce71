package tidegate
package request

import java.nio.file.{Files, Paths}
import java.time.Duration
import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset}
import tidegate.javaapi.{IngestionWatermarkOptions, KeyedWatermarkOptions, Policies, Tidegate}
import tidegate.plans.{KeyedWatermark, WatermarkSpec}
import tidegate.sql.EventTimeFunction

/** Scala, Java, Python, SQL and Spark Connect have the same arguments, and they mean the same. */
class WatermarkRequestSuite extends KeyedStreamTest {
  import WatermarkRequestSuite._

  private def in: DataFrame = events().toDF().selectExpr("*", "time AS timestamp")

  /** What a watermark was made of, apart from its input. */
  private def node(ds: Dataset[_]): (WatermarkSpec, String, Seq[String], Option[String]) =
    SparkInternals
      .analyzed(ds)
      .collectFirst { case n: KeyedWatermark =>
        (n.spec, n.eventTime.name, n.substream.map(_.name), n.ingestionTime.map(_.name))
      }
      .get

  private def ofSql(call: String): DataFrame = {
    in.createOrReplaceTempView("orders")
    spark.sql(s"SELECT * FROM $call")
  }

  private def ofPython(arguments: (String, Any)*): DataFrame =
    new PythonFacade().withWatermark(in, "time", Map(arguments: _*).asJava)

  test("both methods have every argument, in every language") {
    Seq(
      ("withKeyedWatermark", classOf[KeyedWatermarkOptions], OfKeyed, Seq("neverIdle")),
      ("withIngestionWatermark", classOf[IngestionWatermarkOptions], OfIngestion, Nil)
    ).foreach { case (method, options, wanted, onlyJava) =>
      val scala = classOf[WatermarkMethods[_]].getMethods.find(_.getName == method).get
      assert(scala.getParameters.map(_.getName).toSet - "eventTime" === wanted, "in Scala")
      val java = options.getMethods.filter(_.getDeclaringClass.getName.contains("javaapi"))
      assert(java.map(_.getName).toSet -- onlyJava === wanted, "in Java")
      assert(python(method) -- Seq("df", "eventTime") === wanted, "in Python")
    }
    val sql = OfKeyed ++ OfIngestion -- Seq("maxEventTimeLag", "maxIdleLag")
    def names(function: EventTimeFunction) = function.all.map(_.name).toSet - "timecol"
    def sqlNames(methods: Set[String]) =
      WatermarkArgument.all.filter(a => methods(a.name)).map(_.sqlName).toSet
    assert(names(EventTimeFunction.ImposeOrder) === sqlNames(sql))
    assert(names(EventTimeFunction.KeyedWatermark) === sqlNames(OfKeyed ++ OfIngestion - "lag"))
  }

  /** The arguments of a method of Python, which its own tests compare with the signature. */
  private def python(method: String): Set[String] = {
    val api = Paths.get(sys.props("tidegate.main-sources"), "../../../../../../python/api.txt")
    val signature = Files.readAllLines(api.normalize).asScala.find(_.startsWith(s"$method(")).get
    "(\\w+): ".r.findAllMatchIn(signature).map(_.group(1)).toSet
  }

  test("all arguments of withKeyedWatermark arrive") {
    val ofScala = node(
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
        lateRows = "/late",
        allowedLateness = "2 hours"
      )
    )
    val options = KeyedWatermarkOptions
      .policy(Policies.limitingLagAndLull("5 seconds", "1 minute"))
      .key(3)
      .substream("sub", "n")
      .idleTimeout(Duration.ofSeconds(7))
      .emission(Policies.byFrame("10 seconds", "-1 second"))
      .name("orders")
      .maxFutureSkew("1 hour")
      .flush(true)
      .idleBehind("3 seconds")
      .lateRows("/late")
      .allowedLateness("2 hours")
    assert(node(Tidegate.withKeyedWatermark(in, "time", options)) === ofScala)
    val values = Common + ("policy" -> JList.of("limitingLagAndLull", "5 seconds", "1 minute"))
    assert(values.keySet + "lag" === OfKeyed)
    assert(node(ofPython(values.toSeq: _*)) === ofScala)
    val policy = "policy => %s(INTERVAL 5 SECONDS, INTERVAL 1 MINUTE)"
    Seq(
      s"IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), ${policy.format("limiting_lag_and_lull")}, " +
        CommonSql,
      s"KEYED_WATERMARK(TABLE(orders), DESCRIPTOR(time), ${policy.format("limitingLagAndLull")}, " +
        CommonSql
    ).foreach(call => assert(node(ofSql(call)) === ofScala))
    assert(ofScala._1.productIterator.count(_ == None) === 2, "names at the start of a query")
  }

  test("all arguments of withIngestionWatermark arrive") {
    val frame = in.withColumnRenamed("timestamp", "appended")
    val ofScala = node(
      frame.withIngestionWatermark(
        "time",
        "1 minute",
        "appended",
        Seq("sub", "n"),
        "3 seconds",
        key = 3,
        emission = byFrame("10 seconds", "-1 second"),
        name = "orders",
        flush = true,
        maxFutureSkew = "1 hour",
        idleTimeout = "7 seconds",
        idleBehind = "3 seconds",
        lateRows = "/late",
        allowedLateness = "2 hours"
      )
    )
    val options = IngestionWatermarkOptions
      .maxEventTimeLag(Duration.ofMinutes(1))
      .ingestionTime("appended")
      .substream("sub", "n")
      .maxIdleLag("3 seconds")
      .key(3)
      .emission(Policies.byFrame("10 seconds", "-1 second"))
      .name("orders")
      .flush(true)
      .maxFutureSkew("1 hour")
      .idleTimeout("7 seconds")
      .idleBehind("3 seconds")
      .lateRows("/late")
      .allowedLateness(Duration.ofHours(2))
    assert(node(Tidegate.withIngestionWatermark(frame, "time", options)) === ofScala)
    val values = Common ++ Map(
      "maxEventTimeLag" -> "1 minute",
      "ingestionTime" -> "appended",
      "maxIdleLag" -> "3 seconds"
    )
    assert(values.keySet === OfIngestion)
    assert(node(new PythonFacade().withWatermark(frame, "time", values.asJava)) === ofScala)
    frame.createOrReplaceTempView("appended")
    Seq(
      "IMPOSE_ORDER(TABLE(appended), DESCRIPTOR(time), policy => " +
        "ingestion_time(INTERVAL 1 MINUTE, INTERVAL 3 SECONDS)",
      "KEYED_WATERMARK(TABLE(appended), DESCRIPTOR(time), max_event_time_lag => '1 minute', " +
        "max_idle_lag => '3 seconds'"
    ).foreach { call =>
      val sql = s"SELECT * FROM $call, ingestion_time => DESCRIPTOR(appended), $CommonSql"
      assert(node(spark.sql(sql)) === ofScala)
    }
    assert(ofScala._1.productIterator.count(_ == None) === 2, "names at the start of a query")
  }

  test("the defaults of withKeyedWatermark are the same, and a lag is a policy") {
    val plain = node(in.withKeyedWatermark("time", "5 seconds"))
    assert(plain._1.idleTimeoutMs === Some(60000L))
    val policy = "policy" -> JList.of("fixedLag", "5 seconds")
    Seq(
      Tidegate.withKeyedWatermark(in, "time", "5 seconds"),
      Tidegate.withKeyedWatermark(in, "time", Duration.ofSeconds(5)),
      ofPython(policy),
      ofSql("IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), 5 seconds)")
    ).foreach(ds => assert(node(ds) === plain))
    val never = node(in.withKeyedWatermark("time", "5 seconds", idleTimeout = null))
    assert(never._1.idleTimeoutMs === None)
    val options = KeyedWatermarkOptions.lag("5 seconds").neverIdle()
    Seq(
      Tidegate.withKeyedWatermark(in, "time", options),
      ofPython(policy, "idleTimeout" -> null),
      ofSql("IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), 5 seconds, idle_timeout => NULL)")
    ).foreach(ds => assert(node(ds) === never))
  }

  test("the defaults of withIngestionWatermark are the same: no substream is idle") {
    val plain = node(in.withIngestionWatermark("time", "1 minute"))
    assert(plain._1.idleTimeoutMs === None)
    def call(more: String) =
      s"IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), policy => ingestion_time('1 minute')$more)"
    val options = IngestionWatermarkOptions.maxEventTimeLag("1 minute")
    Seq(Tidegate.withIngestionWatermark(in, "time", options), ofSql(call(""))).foreach { ds =>
      assert(node(ds) === plain)
    }
    // Where nothing is idle by default, the one timeout is the other as well.
    val behind = node(in.withIngestionWatermark("time", "1 minute", idleBehind = "3 seconds"))
    assert(behind._1 === plain._1.copy(idleTimeoutMs = Some(3000L), idleBehindMs = Some(3000L)))
    assert(node(ofSql(call(", idle_behind => '3 seconds'"))) === behind)
  }

  test("errors name the argument as it is written: in SQL with underscores") {
    def refused(body: => Any): String = intercept[AnalysisException](body).getMessage
    val method = refused(in.withIngestionWatermark("time", "1 minute", maxFutureSkew = "soon"))
    assert(
      method === "[TIDEGATE_INVALID_DURATION] The argument `maxFutureSkew` is 'soon', which is " +
        "not a duration. Use an interval without months or years, in whole milliseconds, for " +
        "example '5 seconds'. SQLSTATE: 22006"
    )
    val call = "policy => ingestion_time('1 minute'), max_future_skew => 'soon')"
    val sql = refused(ofSql(s"IMPOSE_ORDER(TABLE(orders), DESCRIPTOR(time), $call"))
    assert(sql.startsWith(method.replace("maxFutureSkew", "max_future_skew")))
    assert(sql.contains("; line 1 pos "), "with the place of the argument")
    assert(refused(ofPython("maxEventTimeLag" -> "1 minute", "maxFutureSkew" -> "soon")) === method)
  }
}

object WatermarkRequestSuite {
  private def names(arguments: Seq[WatermarkArgument[_]]) = arguments.map(_.name).toSet

  private val OfKeyed: Set[String] =
    names(WatermarkArgument.all.diff(WatermarkArgument.ofIngestion))
  private val OfIngestion: Set[String] =
    names(WatermarkArgument.all.diff(WatermarkArgument.ofEvents))

  /** Both methods have these. */
  private val Common: Map[String, Any] = Map(
    "key" -> 3,
    "substream" -> JList.of("sub", "n"),
    "idleTimeout" -> "7 seconds",
    "idleBehind" -> "3 seconds",
    "emission" -> JList.of("byFrame", "10 seconds", "-1 second"),
    "name" -> "orders",
    "maxFutureSkew" -> "1 hour",
    "flush" -> true,
    "lateRows" -> "/late",
    "allowedLateness" -> "2 hours"
  )

  private val CommonSql: String =
    "key => 3, substream => DESCRIPTOR(sub, n), idle_timeout => INTERVAL 7 SECONDS, " +
      "idle_behind => '3 seconds', emission => byFrame('10 seconds', '-1 second'), " +
      "name => 'orders', max_future_skew => '1 hour', flush => true, late_rows => '/late', " +
      "allowed_lateness => INTERVAL 2 HOURS)"
}
