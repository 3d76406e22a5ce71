package tidegate

import java.nio.file.Path
import java.sql.Timestamp
import java.time.{Instant, LocalDateTime, ZoneOffset}

import scala.collection.mutable

import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException, Trigger}
import org.apache.spark.sql.tidegate.{SparkInternals, TestClock, TestQueries}
import org.apache.spark.sql.{DataFrame, Encoder, Row, SparkSession}
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite
import tidegate.SparkClasses.MemoryStream
import tidegate.clock.RunningQuery

/** An event: its substream, its time in seconds, and a number. */
final case class Event(sub: String, time: Timestamp, n: Int)

/**
 * A base for tests on streams: one session with the extension, a manual clock, and queries whose
 * rows are collected batch by batch.
 */
trait KeyedStreamTest extends AnyFunSuite with AtNight with BeforeAndAfterEach {
  lazy val spark: SparkSession = KeyedStreamTest.session

  protected implicit lazy val session: SparkSession = spark

  override protected def afterEach(): Unit = {
    spark.streams.active.foreach(_.stop())
    TestQueries.closeStateStores()
    super.afterEach()
  }

  def at(second: Double): Timestamp =
    Timestamp.valueOf(
      LocalDateTime.ofInstant(Instant.ofEpochMilli((second * 1000).toLong), ZoneOffset.UTC)
    )

  def event(sub: String, second: Double, n: Int = 1): Event = Event(sub, at(second), n)

  def newCheckpoint(): Path = TempFolders.create("test")

  def events(): MemoryStream[Event] = {
    import KeyedStreamTest.eventEncoder
    MemoryStream[Event](eventEncoder, spark)
  }

  def withConf[T](settings: (String, String)*)(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getOption(key) }
    try {
      settings.foreach { case (key, value) => spark.conf.set(key, value) }
      body
    } finally
      before.foreach { case (key, value) =>
        value.fold(spark.conf.unset(key))(spark.conf.set(key, _))
      }
  }

  /** A query on a checkpoint, which may be stopped and started again. */
  final class Run(
      frame: => DataFrame,
      val checkpoint: Path = newCheckpoint(),
      mode: OutputMode = OutputMode.Append(),
      val clock: TestClock = new TestClock(1000000000L)
  ) extends CollectedBatches {
    var failIn: Long => Boolean = _ => false
    var query: StreamingQuery = _

    def start(trigger: Trigger = Trigger.ProcessingTime(0)): this.type = {
      query = TestQueries.start(frame, checkpoint.toString, mode, trigger, clock) { (df, id) =>
        val rows = df.collect().toSeq
        if (failIn(id)) throw new IllegalStateException(s"batch $id is made to fail")
        collected(id, rows)
      }
      this
    }

    /**
     * Everything that can be processed now has been. What a trigger found is known at the next one;
     * and the first may have begun before the test moved the wall clock.
     */
    def settle(): this.type = {
      (1 to 3).foreach(_ => query.processAllAvailable())
      this
    }

    /** As `settle`, and stopped; or until the batch that is made to fail has failed. */
    def awaitEnd(): this.type = {
      try query.processAllAvailable()
      catch { case e: StreamingQueryException if e.getMessage.contains("made to fail") => () }
      stop()
    }

    def stop(): this.type = {
      query.stop()
      this
    }

    def restart(): this.type = {
      stop()
      start()
    }

    /** Runs to the end with a trigger that ends by itself. */
    def runOnce(trigger: Trigger): this.type = {
      start(trigger)
      query.awaitTermination()
      this
    }

    def running: RunningQuery = RunningQuery.of(SparkInternals.execution(query).get).get

    /** The visible watermark of a node, in epoch ms. */
    def watermark(name: String): Option[Long] = running.figures.watermarks(name).watermarkMs

    def lateRows: Map[String, Long] =
      running.figures.operators.map { case (name, o) => name -> o.lateRows.inAll }.filter(_._2 > 0)

    /** How many rows the state holds. */
    def stateRows: Long = query.lastProgress.stateOperators.map(_.numRowsTotal).sum

    def log: Seq[LoggedBatch] = Checkpoints.log(spark, checkpoint)
  }
}

/** The rows that a query has emitted, by batch. */
trait CollectedBatches {
  private val batches = mutable.SortedMap.empty[Long, Seq[Row]]

  protected def collected(batchId: Long, rows: Seq[Row]): Unit = batches(batchId) = rows

  def checkpoint: Path

  /** What the offset log says of every batch. */
  def log: Seq[LoggedBatch]

  /** How many rows the state holds. */
  def stateRows: Long

  def rows: Seq[Row] = batches.values.flatten.toSeq

  /** The rows of each batch, empty batches included. */
  def rowsByBatch: Map[Long, Seq[Row]] = batches.toMap

  def batchCount: Int = batches.size

  def clear(): Unit = batches.clear()

  /** The rows as text, sorted: timestamps as seconds, windows as `[start, end)`. */
  def answer: Seq[String] = rows.map(KeyedStreamTest.text).sorted

  def take(): Seq[String] = {
    val now = answer
    clear()
    now
  }

  /** The rows of each batch as text, empty batches included. */
  def byBatch: Map[Long, Seq[String]] =
    batches.view.mapValues(_.map(KeyedStreamTest.text).sorted).toMap
}

/**
 * A batch in the offset log: up to which file it read each source, and the watermark of each
 * operator and of its state in ms.
 */
final case class LoggedBatch(
    id: Long,
    dataOffsets: Seq[Long],
    operators: Map[String, (Option[Long], Option[Long])]
)

object KeyedStreamTest {
  lazy val session: SparkSession = {
    val session = started()
    DirectFiles.use(session.sparkContext.hadoopConfiguration)
    session
  }

  private def started(): SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName("tidegate-test")
    .config("spark.sql.extensions", classOf[TidegateExtensions].getName)
    .config("spark.sql.shuffle.partitions", "1")
    // No other application has the checkpoints of a test.
    .config("spark.tidegate.adopt.watch", "0 seconds")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.streaming.stateStore.maintenanceInterval", "1h")
    .config("spark.sql.streaming.checkpoint.fileChecksum.enabled", "false")
    .config("spark.sql.streaming.forceDeleteTempCheckpointLocation", "true")
    .config("spark.sql.planChangeValidation", "true")
    // A test loses the files of a shuffle. Then Spark takes its only executor for lost, and would
    // end the JVM after 60 heartbeats without an answer, which are ten minutes.
    .config("spark.executor.heartbeat.maxFailures", Int.MaxValue.toString)
    // Suites plan more than the 100 stages whose generated code Spark keeps by default.
    .config("spark.sql.codegen.cache.maxEntries", "5000")
    // Else tasks ask the driver for each class, anew for each query.
    .config("spark.sql.artifact.isolation.enabled", "false")
    // Generated code that does not compile fails, where Spark would run without it.
    .config("spark.sql.codegen.fallback", "false")
    .config("spark.sql.codegen.factoryMode", "CODEGEN_ONLY")
    .getOrCreate()

  val eventEncoder: Encoder[Event] = org.apache.spark.sql.Encoders.product[Event]

  def text(row: Row): String = row.toSeq.map(value).mkString("|")

  private def value(v: Any): String = v match {
    case t: Timestamp => seconds(t)
    case r: Row       => r.toSeq.map(value).mkString("[", ",", ")")
    case other        => String.valueOf(other)
  }

  private def seconds(t: Timestamp): String =
    BigDecimal(t.getTime, 3).bigDecimal.stripTrailingZeros.toPlainString
}
