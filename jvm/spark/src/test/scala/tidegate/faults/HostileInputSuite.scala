package tidegate
package faults

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future, TimeoutException}
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.builders.Between

/**
 * Arguments of SQL and of Scala from a grammar of what is wrong. Each call is analyzed, or refused
 * with a condition that the documentation of Tidegate or of Spark has; and that soon.
 */
class HostileInputSuite extends KeyedStreamTest {
  import HostileInputSuite._
  import HostileValues._

  /** Whether each call got through; all errors but documented ones fail together. */
  private def check[T](inputs: Seq[T], shown: T => String)(call: T => Any): Seq[Boolean] = {
    val answers = inputs.map(input => input -> answer(call(input)))
    val failures = answers.collect { case (input, Failed(text)) => s"${shown(input)}\n$text" }
    assert(failures.isEmpty, failures.take(MostShown).mkString(s"${failures.size}:\n", "\n\n", ""))
    answers.map(_._2 == Taken)
  }

  private def answer(call: => Any): Answer = {
    val done = Future {
      try { call; Taken }
      catch {
        case e: AnalysisException if isKnown(e)   => Refused
        case e: SparkThrowable if isOfInterval(e) => Refused
        case e: Throwable => Failed((e +: e.getStackTrace.toSeq.take(MostFrames)).mkString("\n  "))
      }
    }(ExecutionContext.global)
    try Await.result(done, Limit)
    catch { case _: TimeoutException => Failed(s"no answer in $Limit") }
  }

  private def isKnown(e: AnalysisException): Boolean =
    Option(e.getCondition).exists(condition => !condition.startsWith("INTERNAL_ERROR"))

  /** Spark's parser has errors of its own for intervals that are too long. */
  private def isOfInterval(e: SparkThrowable): Boolean =
    Option(e.getCondition).exists { condition =>
      Seq("INTERVAL_ARITHMETIC_OVERFLOW", "INVALID_INTERVAL_FORMAT").exists(condition.startsWith)
    }

  private def views(): Unit = {
    events().toDF().createOrReplaceTempView("orders")
    events()
      .toDF()
      .withKeyedWatermark("time", "5 seconds", name = "w")
      .createOrReplaceTempView("keyed")
    spark
      .range(3)
      .selectExpr("id", "timestamp_seconds(id) AS time", "id AS `a.b`", "id AS `a``b`")
      .createOrReplaceTempView("batch")
  }

  test("property: SQL from a grammar of nasty arguments is analyzed, or refused as documented") {
    views()
    val queries = (1 to cases(1500)).map(seed => new HostileSql(scattered(seed)).query())
    val taken = check[String](queries, identity)(spark.sql(_))
    // Else the grammar tests only the parser.
    assert(taken.count(identity) > 20, "queries were analyzed")
  }

  test("the statements that are made wrong are right") {
    views()
    val taken = check[String](HostileSql.valid, identity)(spark.sql(_))
    assert(HostileSql.valid.zip(taken).collect { case (sql, false) => sql } === Nil)
  }

  test("property: statements that have lost or doubled a token are parsed, or refused") {
    views()
    val queries = (1 to cases(1500)).map { seed =>
      val random = scattered(seed)
      val whole = one(HostileSql.valid, random)
      val tokens = whole.split("(?<=\\W)|(?=\\W)").toVector
      val at = random.nextInt(tokens.size)
      val changed = random.nextInt(3) match {
        case 0 => tokens.patch(at, Nil, 1 + random.nextInt(3))
        case 1 => tokens.patch(at, Seq(tokens(at), tokens(at)), 1)
        case _ => tokens.patch(at, Seq(one(HostileSql.tokens, random)), random.nextInt(2))
      }
      changed.mkString
    }
    check[String](queries, identity)(spark.sql(_))
    ()
  }

  test("calls in calls, and long lists, are parsed or refused, and soon") {
    views()
    val parser = spark.sessionState.sqlParser
    val call = "TUMBLE(TABLE("
    def nested(depth: Int) =
      s"SELECT * FROM ${call * depth}orders${"), DESCRIPTOR(time), 5 seconds)" * depth}"
    val long = Seq.fill(3000)("5 seconds").mkString(", ")
    val statements = Seq(
      nested(5),
      nested(60),
      s"SELECT * FROM TUMBLE(orders, DESCRIPTOR(time), $long)",
      s"SELECT * FROM TUMBLE(orders, DESCRIPTOR(${"a, " * 3000}a), 5 seconds)",
      // Spark's own parser overflows the stack with ten times as many of any function.
      s"SELECT * FROM ${"TUMBLE(" * 50}",
      s"SELECT * FROM TUMBLE(orders, DESCRIPTOR(time), ${"(" * 300}5 seconds${")" * 300})",
      s"SELECT * FROM TUMBLE(orders, DESCRIPTOR(time), 5 seconds)${" , orders" * 500}",
      "SELECT * FROM TUMBLE(orders, DESCRIPTOR(time), '" + "x" * 200000
    )
    check[String](statements, _.take(100))(parser.parsePlan)
    ()
  }

  private def someDuration(random: Random): String =
    if (random.nextInt(20) == 0) null
    else one(if (random.nextBoolean()) durations else texts, random)

  private def policy(random: Random): PolicySpec = {
    val (a, b) = (someDuration(random), someDuration(random))
    random.nextInt(4) match {
      case 0 => fixedLag(a)
      case 1 => limitingLagAndDelay(a, b)
      case 2 => limitingLagAndLull(a, b)
      case _ => limitingTimestampAndWallClockLag(a, b)
    }
  }

  test("property: durations, keys and names in Scala are taken, or refused as documented") {
    val stream = events().toDF()
    val keyed = stream.withKeyedWatermark("time", "5 seconds")
    val other =
      stream.select(col("n"), col("time").as("t")).withKeyedWatermark("t", "5 seconds", key = 1)
    def name(random: Random) =
      if (random.nextBoolean()) one(Seq("time", "sub", "n"), random)
      else one(texts ++ texts.map(quoted) :+ null, random)
    def duration(random: Random) =
      if (random.nextBoolean()) "5 seconds" else someDuration(random)
    def call(random: Random): DataFrame = random.nextInt(6) match {
      case 0 => stream.withKeyedWatermark("time", duration(random), key = random.nextInt(400) - 100)
      case 1 => stream.withKeyedWatermark("time", policy = policy(random))
      case 2 =>
        stream.withKeyedWatermark(
          name(random),
          duration(random),
          substream = Seq.fill(random.nextInt(3))(name(random)),
          idleTimeout = duration(random),
          name = one(texts :+ null, random),
          maxFutureSkew = duration(random),
          idleBehind = duration(random)
        )
      case 3 =>
        stream.withIngestionWatermark(
          name(random),
          duration(random),
          name(random),
          maxIdleLag = duration(random),
          emission =
            if (random.nextBoolean()) byMinStep(duration(random))
            else byFrame(duration(random), duration(random))
        )
      case 4 => keyed.orderByEventTime(Seq.fill(random.nextInt(3))(name(random)), name(random))
      case _ =>
        val bounds = Between("t", name(random), duration(random), duration(random))
        keyed.streamJoin(other, Seq("n"), one(texts ++ Seq("inner", "leftOuter"), random), bounds)
    }
    val taken = check[Int](1 to cases(1500), seed => s"seed $seed")(seed => call(scattered(seed)))
    assert(taken.count(identity) > 50, "calls were taken")
  }

  /** The first numbers of neighbouring seeds are alike. */
  private def scattered(seed: Int): Random = new Random(new Random(seed).nextLong())

  /** `-Dtidegate.cases=50`, as at night, tries ten times as many. */
  private def cases(n: Int): Int =
    n * math.max(1, sys.props.get("tidegate.cases").fold(1)(_.toInt / 5))
}

object HostileInputSuite {

  /** Far more than any of the calls takes on a slow machine. */
  private val Limit = 60.seconds

  private val MostShown = 20
  private val MostFrames = 30

  private sealed trait Answer
  private case object Taken extends Answer
  private case object Refused extends Answer
  private final case class Failed(text: String) extends Answer
}
