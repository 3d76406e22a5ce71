package tidegate.testing

import java.nio.file.Files
import java.time.{Duration, Instant}
import java.util.UUID
import java.util.function.Supplier

import scala.annotation.varargs
import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.{ShadowingView, SparkInternals}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.errors.TestingErrors
import tidegate.request.Durations

/**
 * A test of streaming queries: streams that the test feeds, and a clock that stands until the test
 * moves it. Each call returns when nothing is due any more at the time of the clock, so a test
 * needs no waits, and takes the same way each time.
 *
 * {{{
 * val test = new StreamTest(spark)
 * val orders = test.input("orders", "id LONG, time TIMESTAMP, shop STRING")
 * val query = test.start(
 *   orders
 *     .withKeyedWatermark("time", "5 seconds", substream = Seq("shop"), idleTimeout = "1 minute")
 *     .groupBy(window($"time", "1 minute")).count())
 * test.feed("orders", Row(1L, Timestamp.valueOf("2026-01-01 12:00:10"), "a"))
 * test.advance("60 seconds")
 * query.assertEmitted()
 * test.close()
 * }}}
 *
 * @param now
 *   where the clock stands at first, a timestamp such as `2026-01-01 12:00:00`
 */
final class StreamTest(session: SparkSession, now: String) extends AutoCloseable {

  /** A test whose clock stands at 2026-01-01 12:00:00 UTC. */
  def this(session: SparkSession) = this(session, "2026-01-01T12:00:00Z")

  private var nowMs = DateTimeUtils
    .stringToTimestamp(
      UTF8String.fromString(now),
      DateTimeUtils.getZoneId(session.conf.get("spark.sql.session.timeZone"))
    )
    .map(DateTimeUtils.microsToMillis)
    .getOrElse(throw TestingErrors.invalidNow(now))

  private val folder = Files.createTempDirectory("tidegate-test")
  private val inputs = mutable.LinkedHashMap.empty[String, FedInput]
  private val ids = mutable.ArrayBuffer.empty[String]
  private val views = mutable.Map.empty[String, ShadowingView]
  private val queries = mutable.ArrayBuffer.empty[QueryUnderTest]

  /** The time of the clock. */
  def time: Instant = Instant.ofEpochMilli(nowMs)

  /**
   * A stream that [[feed]] gives rows, which is a temporary view of this name as well. A second
   * call with the same columns returns the same stream.
   *
   * @param schema
   *   its columns, such as `id LONG, time TIMESTAMP`
   */
  def input(name: String, schema: String): DataFrame = input(name, StructType.fromDDL(schema))

  /** The same, of a schema. */
  def input(name: String, schema: StructType): DataFrame = {
    // A query of Scala that makes its input is made anew at each restart.
    val nullable = SparkInternals.nullable(schema).asInstanceOf[StructType]
    if (inputs.get(name).exists(_.schema == nullable)) session.table(name)
    else {
      val (id, fed) = (UUID.randomUUID().toString, new FedInput(name, nullable))
      val _ = FedSource.inputs.put(id, fed)
      ids += id
      val source = session.readStream.format(classOf[FedSource].getName)
      views
        .getOrElseUpdate(name, new ShadowingView(session, name))
        .show(source.option(FedSource.Id, id).load())
      inputs(name) = fed
      session.table(name)
    }
  }

  /** Gives an input rows, which come in one batch, and runs what is due then. */
  @varargs def feed(input: String, rows: Row*): Unit = feed(Map(input -> rows))

  /**
   * The same, of a DataFrame. Columns are found by their names; those that are not there are NULL.
   */
  def feed(input: String, rows: DataFrame): Unit = feedTables(Map(input -> rows))

  /** Gives several inputs rows at once, which come in the same batch. */
  def feed(rows: Map[String, Seq[Row]]): Unit = feedTables(rows.map { case (name, rows) =>
    name -> session.createDataFrame(rows.asJava, fed(name).schema)
  })

  private[tidegate] def feedTables(rows: Map[String, DataFrame]): Unit = {
    val read = rows.toSeq.map { case (name, table) =>
      val input = fed(name)
      table.columns.find(!input.schema.fieldNames.contains(_)).foreach { column =>
        val known = input.schema.fieldNames.toSeq
        throw TestingErrors.unknownColumn(s"The input `$name`", column, known)
      }
      input -> Casts.to(input.schema, table).collect().toSeq
    }
    read.foreach { case (input, rows) => input.add(rows) }
    settle()
  }

  /** Moves the clock ahead at once, such as by `60 seconds`, and runs what is due then. */
  def advance(duration: String): Unit = move(Durations.parseMs("duration", duration, 0))

  /** The same, of whole milliseconds. */
  def advance(duration: Duration): Unit = advance(s"${duration.toMillis} milliseconds")

  private def move(ms: Long): Unit = {
    nowMs += ms
    settle()
  }

  /**
   * Starts a query over the inputs, and runs what is due.
   *
   * @param query
   *   called again for each restart
   * @param availableNow
   *   whether the query runs with the trigger `AvailableNow`, so that each start reads what is
   *   there, and ends. Otherwise it runs until it is stopped, and a trigger follows the other
   * @param settings
   *   settings of Spark for this query. By default its states have one partition
   */
  def start(
      query: => DataFrame,
      outputMode: OutputMode = OutputMode.Append(),
      availableNow: Boolean = false,
      settings: Map[String, String] = Map.empty
  ): QueryUnderTest = {
    val options = StartOptions(outputMode, availableNow, settings)
    val place = folder.resolve(queries.size.toString)
    val started = new QueryUnderTest(session, place, options, () => nowMs)
    queries += started
    started.begin(() => query)
  }

  /** The same for Java. */
  def start(query: Supplier[DataFrame], outputMode: OutputMode): QueryUnderTest =
    start(query.get(), outputMode, availableNow = false, Map.empty[String, String])

  /** What a failed test shows of each query. */
  def report: String =
    (s"The clock of the test is at $time." +: queries.filter(_.isStarted).map(_.report))
      .mkString("\n\n")

  /** Stops the queries, and removes what the test has made. */
  override def close(): Unit = {
    queries.foreach(_.stop())
    views.values.foreach(_.restore())
    views.clear()
    ids.foreach(FedSource.inputs.remove(_))
    inputs.clear()
    FileUtils.deleteDirectory(folder.toFile)
  }

  private def settle(): Unit = queries.foreach(_.settle())

  private[tidegate] def schema(input: String): StructType = fed(input).schema

  private def fed(name: String): FedInput =
    inputs.getOrElse(name, throw TestingErrors.unknownInput(name, inputs.keys.toSeq))
}
