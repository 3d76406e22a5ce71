package tidegate
package execution.calls

import java.nio.file.{Files, Path}

import scala.concurrent.{Future, Promise}
import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException, Trigger}
import org.apache.spark.sql.tidegate.{TestClock, TestQueries}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.columns.EventTimeTag
import tidegate.plans.AsyncCalls

/** Asynchronous calls of Scala functions, on batch data and on streams. */
class AsyncMapSuite extends RestartTest {
  import AsyncMapSuite._

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    TestService.reset()
  }

  private def rows(count: Int, partitions: Int = 1): DataFrame =
    spark.range(0, count, 1, partitions).toDF("id")

  private def ids(df: DataFrame): Seq[Long] = df.collect().toSeq.map(_.getAs[Long]("id"))

  private def doubled(df: DataFrame, group: Int = 1, ordered: Boolean = true): DataFrame =
    df.mapAsyncWith(Events, ordered = ordered, maxInFlight = 4)(new Doubling(group))

  /** The metrics of the calls in a result that has been collected. */
  private def metrics(df: DataFrame): Map[String, Long] =
    TestQueries
      .executedPlan(df)
      .collectFirst { case a: AsyncCallsExec => a.metrics.map { case (k, m) => k -> m.value } }
      .get

  test("in order, rows leave as they came, however their calls end") {
    val table = events().toDF().schema
    val in = spark.createDataFrame((1 to 8).map(n => Row("a", at(n), n)).asJava, table)
    assert(doubled(in.coalesce(1), group = 4).collect().map(_.getInt(2)).toSeq === (2 to 16 by 2))
    assert(TestService.mostInFlight.get === 4)
  }

  test("out of order, rows leave as their calls end") {
    val in = spark.createDataFrame((1 to 8).map(n => Row("a", at(n), n)).asJava, Events)
    // The call that completes a group has its own answer only when it returns.
    val result = doubled(in.coalesce(1), group = 4, ordered = false).collect().map(_.getInt(2))
    assert(result.toSeq === Seq(6, 4, 2, 8, 14, 12, 10, 16))
    assert(TestService.mostInFlight.get === 4)
  }

  test("connections are opened and closed once for each task, and after a failure") {
    val in = spark.createDataFrame((1 to 8).map(n => Row("a", at(n), n)).asJava, Events)
    doubled(in.repartition(3)).collect()
    assert(TestService.opened.get === 3)
    assert(TestService.closed.get === 3)
    intercept[RuntimeException](
      doubled(in.coalesce(1)).selectExpr("raise_error('no')").collect()
    )
    assert(TestService.opened.get === 4)
    assert(TestService.closed.get === 4)
  }

  test("a connection knows its task, and its end does not hide why calls have failed") {
    val in = spark.createDataFrame(Seq(Row("a", at(1), 1)).asJava, Events).coalesce(1)
    def mapped(isDown: Boolean) = in.mapAsyncWith(Events, retries = 0)(new InTask(isDown)).collect()
    mapped(isDown = false)
    val error = intercept[Exception](mapped(isDown = true))
    assert(error.getMessage.contains("TIDEGATE_CALL_FAILED"), error.getMessage)
  }

  test("a task that is done before its rows are all read closes its connection") {
    val in = spark.createDataFrame((1 to 8).map(n => Row("a", at(n), n)).asJava, Events)
    assert(doubled(in.coalesce(1)).limit(1).collect().length === 1)
    assert(TestService.closed.get === 1)
  }

  test("a failed call is made again, and counted") {
    val failed = new FirstTime
    val result = rows(3).mapAsync(Ids, retries = 1)(row => failed.orElse(row))
    assert(ids(result) === Seq(0, 1, 2))
    val found = metrics(result)
    assert(found("numCalls") === 3)
    assert(found("numRetries") === 3)
    assert(found("numFailedCalls") === 0)
  }

  private def failure(df: DataFrame): String =
    Iterator
      .iterate[Throwable](intercept[Exception](df.collect()))(_.getCause)
      .takeWhile(_ != null)
      .map(_.getMessage)
      .find(_.contains("[TIDEGATE_"))
      .get
      .linesIterator
      .next()

  test("a call that fails for good fails the query, and names the function") {
    val result = rows(3).mapAsync(Ids, retries = 0, name = "prices") { row =>
      if (row.getLong(0) == 1) Future.failed(new java.io.IOException("reset by peer."))
      else Future.successful(row)
    }
    assert(
      failure(result).endsWith(
        "[TIDEGATE_CALL_FAILED] mapAsync: the call of function prices for row 1 of partition 0 in " +
          "batch -1 has failed after 1 attempt: IOException: reset by peer. Recover from the error " +
          "in the function, allow more retries, or set onError to 'null' or 'dead letter'. " +
          "SQLSTATE: 38000"
      )
    )
  }

  test("a function that throws, or returns no Future, has failed") {
    def result(call: Row => Future[Row]) = failure(rows(1).mapAsync(Ids, retries = 1)(call))
    assert(
      result(_ => throw new IllegalStateException("no")).contains("IllegalStateException: no.")
    )
    assert(
      result(_ => null).contains(
        "after 2 attempts: NullPointerException: the function returned null instead of a Future."
      )
    )
  }

  test("a call without an answer is over after its timeout") {
    val result = rows(1).mapAsync(Ids, timeout = "100 milliseconds", retries = 1) { _ =>
      Promise[Row]().future
    }
    assert(
      failure(result).contains("after 2 attempts: TimeoutException: no answer within 100 ms.")
    )
  }

  test("a service that seems to be down fails the query, whatever onError says") {
    val result = rows(9).mapAsync(Ids, retries = 0, onError = "null", breakAfter = 3, name = "f") {
      row =>
        if (row.getLong(0) > 2) Future.failed(new Exception("refused")) else Future.successful(row)
    }
    assert(
      failure(result).endsWith(
        "[TIDEGATE_CALL_SERVICE_DOWN] mapAsync: 3 calls of function f in a row have failed, the " +
          "last one with: Exception: refused. The query stops, because the service seems to be " +
          "down. Start it again when the service answers, or raise breakAfter. SQLSTATE: 38000"
      )
    )
  }

  test("with onError null, the columns of the input stay, and the others are null") {
    val result = rows(4).mapAsync(Prices, retries = 0, onError = "null") { row =>
      if (row.getLong(0) % 2 == 1) Future.failed(new Exception("no"))
      else Future.successful(Row(row.getLong(0), 1.5))
    }
    assert(result.collect().toSeq === Seq(Row(0, 1.5), Row(1, null), Row(2, 1.5), Row(3, null)))
    assert(metrics(result)("numFailedCalls") === 2)
  }

  test("results that do not fit are refused") {
    def result(schema: StructType, row: Row) =
      failure(rows(1).mapAsync(schema, name = "f")(_ => Future.successful(row)))
    val wanted =
      "mapAsync: function f returned a wrong result: a Row of the columns `id`, `price` " +
        "was wanted, found "
    val advice = "Return every column of the output schema in its place, with a value of its type."
    assert(result(Prices, Row(1L)).contains(s"${wanted}1 values. $advice"))
    assert(result(Prices, null).contains(s"${wanted}null. $advice"))
    assert(result(Prices, Row(1L, "dear")).contains(advice))
    assert(
      result(StructType.fromDDL("id long not null"), Row(null)).contains(
        "mapAsync: function f returned a wrong result: column id is null, and the output schema " +
          "says that it is not. Return a value, or make the column nullable."
      )
    )
  }

  test("the metrics of the node tell of its calls") {
    val in = spark.createDataFrame((1 to 8).map(n => Row("a", at(n), n)).asJava, Events)
    val result = doubled(in.coalesce(1), group = 4)
    result.collect()
    val found = metrics(result)
    assert(found("numCalls") === 8)
    // An average is kept in tenths.
    assert(found("mostInFlight") === 40)
    assert(found("callTimeP50") <= found("callTimeP99"))
    val plan = TestQueries.executedPlan(result).toString
    assert(plan.contains("AsyncCalls tidegate.execution.calls.Doubling"))
  }

  test("a result can be joined with itself, counted, and read in part") {
    val result = doubled(spark.createDataFrame(Seq(Row("a", at(1), 1)).asJava, Events))
    assert(result.join(result, "sub").count() === 1)
    assert(result.count() === 1)
    assert(result.select("n").collect().toSeq === Seq(Row(2)))
    assert(result.where("n = 3").count() === 0)
  }

  test("an event time keeps its key if its name and its type are those of the input") {
    val in = events().toDF().withKeyedWatermark("time", "5 seconds", key = 3)
    def key(schema: String) = {
      val plan =
        TestQueries.analyzedPlan(in.mapAsync(StructType.fromDDL(schema))(Future.successful))
      val time = plan.output.find(_.name == "time").get
      assert(plan.isInstanceOf[AsyncCalls])
      (EventTimeTag.key(time), EventTimeTag.lagMs(time))
    }
    assert(key("time timestamp, n int") === (Some(3), Some(5000)))
    assert(key("time string") === (None, None))
    assert(key("time timestamp_ntz") === (None, None))
  }

  private def counts(in: DataFrame): DataFrame =
    doubled(in.withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), idleTimeout = null))
      .groupBy(window(col("time"), "10 seconds"))
      .agg(sum("n"))

  test("windows over the results have the watermark of the input, as without calls") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 3, 1), event("b", 25, 10))
    assert(run.settle().take() === Nil)
    in.addData(event("a", 21, 100))
    assert(run.settle().take() === Seq("[0,10)|2"))
    run.restart()
    in.addData(event("a", 9, 1000), event("a", 31, 1), event("b", 31, 1))
    assert(run.settle().take() === Seq("[20,30)|220"))
    assert(run.lateRows.values.sum === 1)
  }

  test("a query that is killed in any batch has the answers of the undisturbed run") {
    val folder = files(
      Seq(event("a", 3, 1), event("b", 5, 2)),
      Seq(event("a", 12, 3), event("b", 14, 4)),
      Seq(event("a", 21, 5), event("b", 33, 6)),
      Seq(event("a", 2, 1000), event("a", 41, 7), event("b", 45, 8))
    )
    val run = checkKills(counts(stream(folder)))
    assert(run.answer === Seq("[0,10)|6", "[10,20)|14", "[20,30)|10", "[30,40)|12"))
  }

  test("a batch that is run again calls with the keys that it had") {
    val folder = files(Seq(event("a", 1), event("a", 2)), Seq(event("a", 3), event("a", 4)))
    val run = new Run(doubled(stream(folder)))
    run.failIn = _ == 1
    run.start().awaitEnd()
    val before = TestService.calls.map(_._2)
    assert(before === Seq(CallKey(0, 0, 0), CallKey(0, 0, 1), CallKey(1, 0, 0), CallKey(1, 0, 1)))
    TestService.reset()
    run.failIn = _ => false
    run.start().settle().stop()
    assert(TestService.calls.map(_._2) === before.drop(2))
  }

  private def letters(folder: Path): Map[String, Seq[String]] = {
    val files = Files.walk(folder)
    try
      files.iterator.asScala
        .filter(f => Files.isRegularFile(f) && !f.toString.endsWith(".crc"))
        .map(f => folder.relativize(f).toString -> Files.readAllLines(f).asScala.toSeq)
        .toMap
    finally files.close()
  }

  /** The batches of the files, each with the letters in it. */
  private def byBatch(folder: Path): Map[Int, Seq[String]] =
    letters(folder).toSeq.groupMapReduce { case (name, _) =>
      OfBatch.findFirstMatchIn(name).get.group(1).toInt
    }(_._2)(_ ++ _)

  private def dying(rows: DataFrame, folder: Path, isDown: Boolean = true): DataFrame =
    rows.mapAsyncWith(
      Events,
      retries = 0,
      onError = "dead letter",
      deadLetters = folder.toString,
      name = "odd"
    )(new Odd(isDown))

  test("dead letters have a file for each batch and partition, which a replay replaces") {
    val folder = TempFolders.create("letters")
    val input = files(Seq(event("a", 1, 1), event("a", 2, 2)), Seq(event("a", 3, 3)))
    val run = new Run(dying(stream(input), folder))
    run.failIn = _ == 1
    run.start().awaitEnd()
    val before = byBatch(folder)
    assert(before.keySet === Set(0, 1))
    assert(
      before(0) === Seq(
        """{"key":{"batch":0,"partition":0,"row":0},"function":"odd",""" +
          """"error":"java.lang.Exception: odd","attempts":1,""" +
          """"row":{"sub":"a","time":"1970-01-01T00:00:01.000000Z","n":1}}"""
      )
    )
    // As of a partition that the next run of the batch does not have.
    val last = letters(folder).keys.find(_.contains("-00000001-")).get
    Files.copy(folder.resolve(last), folder.resolve(last.replace("00000.json", "00007.json")))
    run.failIn = _ => false
    run.start().settle()
    assert(byBatch(folder) === before)
    assert(run.answer === Seq("a|2|2"))
    run.stop()
  }

  test("two queries and two calls of a query have one folder, and letters of their own") {
    val folder = TempFolders.create("letters")
    val input = files(Seq(event("a", 1, 1), event("a", 2, 2)))
    new Run(dying(stream(input), folder).union(dying(stream(input), folder)))
      .start()
      .settle()
      .stop()
    assert(byBatch(folder).transform((_, found) => found.size) === Map(0 -> 2))
    new Run(dying(stream(input), folder, isDown = false)).start().settle().stop()
    assert(byBatch(folder)(0).size === 2)
    new Run(dying(stream(input), folder)).start().settle().stop()
    assert(byBatch(folder)(0).size === 3)
  }

  test("calls within foreachBatch write the letters of a batch once, also if it is run again") {
    val folder = TempFolders.create("letters")
    val input = files(Seq(event("a", 1, 1)), Seq(event("a", 3, 3)))
    val checkpoint = newCheckpoint().toString
    def run(failsIn: Long): Unit = {
      val query = TestQueries.start(
        stream(input),
        checkpoint,
        OutputMode.Append(),
        Trigger.ProcessingTime(0),
        new TestClock(1000000000L)
      ) { (batch, id) =>
        assert(dying(batch, folder).collect().isEmpty)
        if (id == failsIn) throw new IllegalStateException("made to fail")
      }
      try query.processAllAvailable()
      catch { case _: StreamingQueryException => () }
      query.stop()
    }
    run(failsIn = 1)
    run(failsIn = -1)
    assert(byBatch(folder).transform((_, found) => found.size) === Map(0 -> 1, 1 -> 1))
  }

  test("a letter has the row, of all types, as Spark's reader makes it again") {
    val folder = TempFolders.create("letters")
    val in = spark.sql(AllTypes)
    val none = in.mapAsync(
      StructType.fromDDL("id int"),
      retries = 0,
      onError = "dead letter",
      deadLetters = folder.toString
    )(_ => Future.failed(new Exception("no")))
    assert(none.count() === 0)
    val row = StructType(in.schema.map { f =>
      if (f.name.endsWith("_map")) f.copy(dataType = entries(f.dataType)) else f
    })
    val read = spark.read.schema(new StructType().add("row", row)).json(folder.toString)
    val again = read
      .select("row.*")
      .select(in.columns.toSeq.map { name =>
        if (name.endsWith("_map")) map_from_entries(col(name)).as(name) else col(name)
      }: _*)
    assert(again.count() === in.count())
    for (name <- in.columns) {
      // A map has no order and no equality of its own.
      def texts(rows: DataFrame) = rows.selectExpr(s"typeof($name)", s"cast($name as string)")
      assert(texts(again).collect().toSet === texts(in).collect().toSet, name)
    }
  }

  private def entries(map: DataType): DataType = map match {
    case MapType(key, value, _) =>
      ArrayType(new StructType().add("key", key).add("value", value))
    case other => other
  }

  test("a new run leaves the dead letters of the last batch, which it reads again") {
    val folder = TempFolders.create("letters")
    val input = files(Seq(event("a", 1, 1), event("a", 2, 2)), Seq(event("a", 3, 3)))
    def run(isDown: Boolean) = dying(stream(input), folder, isDown)
      .withKeyedWatermark("time", "1 second")
    val first = new Run(run(isDown = true)).start().settle().stop()
    val before = letters(folder)
    assert(before.size === 2)
    assert(first.answer === Seq("a|2|2"))
    val second = new Run(run(isDown = false), first.checkpoint).start().settle().stop()
    assert(second.answer === Nil)
    assert(letters(folder) === before)
  }

  /**
   * The numbers of the dead letters of a batch of the rows 2 to 10, of which odd ones fail first.
   */
  private def lettersAfter(read: DataFrame => Unit): Set[Int] = {
    val folder = TempFolders.create("letters")
    failing = Set(3, 5, 7, 9)
    val input = files((1 to 9).map(n => event("a", n.toDouble, n + 1)))
    val query = TestQueries.start(
      stream(input).mapAsyncWith(
        Events,
        retries = 0,
        maxInFlight = 1,
        onError = "dead letter",
        deadLetters = folder.toString
      )(new Flaky),
      newCheckpoint().toString,
      OutputMode.Append(),
      Trigger.ProcessingTime(0),
      new TestClock(1000000000L)
    )((batch, _) => read(batch))
    query.processAllAvailable()
    query.stop()
    val number = """"n":(\d+)""".r
    letters(folder).values.flatten.map(number.findFirstMatchIn(_).get.group(1).toInt).toSet
  }

  test("an action that reads some rows of a batch leaves the dead letters of the others") {
    val found = lettersAfter { batch =>
      assert(batch.head(1).length === 1)
      assert(batch.collect().length === 5)
      assert(batch.head(1).length === 1)
    }
    assert(found === Set(3, 5, 7, 9))
  }

  test("of actions that each read some rows, the one that reads most has the dead letters") {
    val found = lettersAfter { batch =>
      assert(batch.head(2).length === 2)
      assert(batch.head(4).length === 4)
      assert(batch.head(1).length === 1)
    }
    assert(Set(3, 5, 7).subsetOf(found))
  }

  test("calls that fail when some rows are read again leave the dead letters of all rows") {
    val found = lettersAfter { batch =>
      failing = Set(2, 3)
      assert(batch.head(3).length === 3)
      failing = Set(9)
      assert(batch.collect().length === 8)
      failing = Set(2, 3)
      assert(batch.head(3).length === 3)
    }
    assert(found === Set(9))
  }

  test("several partitions in one task have files and keys of their own") {
    val folder = TempFolders.create("letters")
    val failing = spark
      .range(0, 8, 1, 4)
      .toDF("id")
      .mapAsync(Ids, retries = 0, onError = "dead letter", deadLetters = folder.toString) { row =>
        // The last partitions, whose files come first, have none.
        if (row.getLong(0) < 4) Future.failed(new Exception("no")) else Future.successful(row)
      }
    assert(failing.coalesce(1).collect().map(_.getLong(0)).toSeq === Seq(4, 5, 6, 7))
    val found = letters(folder)
    assert(found.keySet.map(_.takeRight(10)) === Set("00000.json", "00001.json"))
    val keys = found.values.flatten.map(_.takeWhile(_ != '}'))
    assert(keys.toSeq.distinct.size === 4)
  }

  test("on batch data, each run keeps its letters") {
    val folder = TempFolders.create("letters")
    def run(call: Row => Future[Row]) = rows(3)
      .mapAsync(Ids, retries = 0, onError = "dead letter", deadLetters = folder.toString)(call)
    val failing = run(row => Future.failed(new Exception(s"row $row")))
    assert(failing.collect() === Array.empty[Row])
    assert(metrics(failing)("numDeadLetters") === 3)
    val before = letters(folder)
    assert(before.values.map(_.size) === Seq(3))
    assert(run(Future.successful).count() === 3)
    assert(letters(folder) === before)
    assert(run(row => Future.failed(new Exception(s"row $row"))).count() === 0)
    assert(letters(folder).values.map(_.size) === Seq(3, 3))
  }
}

object AsyncMapSuite {
  private val Events = StructType.fromDDL("sub string, time timestamp, n int")
  private val Ids = StructType.fromDDL("id long")
  private val Prices = StructType.fromDDL("id long, price double")

  private val OfBatch = """letters-[0-9a-f]{8}-(\d{8})-[0-9a-f-]{36}-\d{5}\.json""".r

  /** Rows of every type; the names of maps whose keys are no text end with `_map`. */
  private val AllTypes = """
    SELECT true AS bool, 1Y AS byte, 2S AS short, 3 AS int, -9223372036854775808L AS long,
      cast('NaN' AS float) AS float, cast('-Infinity' AS double) AS double,
      cast('-0.10' AS decimal(38, 2)) AS decimal, 'a\n"' AS text, X'00FF' AS bytes,
      date'1500-01-01' AS day, timestamp'2026-10-25 01:30:00.123456Z' AS time,
      timestamp_ntz'0001-01-01 00:00:00.000001' AS ntz, interval '1 02:03:04.000005' day to second AS span,
      interval '1-2' year to month AS months, array(1, null) AS array, map('k', null) AS map,
      named_struct('a', X'01', 'b', array(timestamp'1883-11-18 12:00:00.000001Z')) AS struct,
      map(date'2026-01-01', 1) AS day_map, map(timestamp'2026-01-01 00:00:00.000001Z', 1) AS time_map,
      map(X'00', 1) AS bytes_map, map(1.10BD, X'01') AS decimal_map,
      map(named_struct('d', date'2026-01-01'), named_struct('x', null)) AS struct_map
    UNION ALL
    SELECT null, null, null, null, null, 0.1F, -0.0D, null, '', null, date'9999-12-31',
      timestamp'-000001-01-01 00:00:00Z', null, null, null, null, null, null, null, null, null, null, null"""

  /** The numbers for which a [[Flaky]] service fails now. */
  @volatile private var failing = Set.empty[Int]

  /** Fails the first call for each row. */
  private final class FirstTime extends Serializable {
    private lazy val asked = scala.collection.mutable.Set.empty[Any]

    def orElse(row: Row): Future[Row] = synchronized {
      if (asked.add(row.get(0))) Future.failed(new Exception("once")) else Future.successful(row)
    }
  }

  /** Asks in which task it is opened and closed; if it is down, calls fail, and then its end. */
  private final class InTask(isDown: Boolean) extends AsyncFunction {
    override def setup(): Unit = { val _ = TaskContext.get().taskAttemptId() }

    override def call(row: Row, key: CallKey): Future[Row] =
      if (isDown) Future.failed(new Exception("down")) else Future.successful(row)

    override def teardown(): Unit = {
      val _ = TaskContext.get().taskAttemptId()
      if (isDown) throw new IllegalStateException("down")
    }
  }

  /** Fails for the numbers for which the service fails now. */
  private final class Flaky extends AsyncFunction {
    override def call(row: Row, key: CallKey): Future[Row] =
      if (failing(row.getInt(2))) Future.failed(new Exception("failing"))
      else Future.successful(row)
  }

  /** Fails for odd numbers, as long as the service is down. */
  private final class Odd(isDown: Boolean = true) extends AsyncFunction {
    override def call(row: Row, key: CallKey): Future[Row] =
      if (isDown && row.getInt(2) % 2 == 1) Future.failed(new Exception("odd"))
      else Future.successful(row)
  }
}
