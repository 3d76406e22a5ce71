package tidegate.testing

import java.nio.file.Path
import java.time.Instant

import scala.annotation.varargs
import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions.{col, struct, to_json}
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.tidegate.{SparkInternals, SteppedClock, SteppedQueries}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession}
import tidegate.clock.KnownQueries
import tidegate.core.figures.{Explanation, QueryFigures}
import tidegate.errors.TestingErrors
import tidegate.plans.KeyedWatermark

/** How a query of a test is started. */
private[testing] final case class StartOptions(
    outputMode: OutputMode,
    availableNow: Boolean,
    settings: Map[String, String]
)

/**
 * A query of a [[StreamTest]], on a checkpoint of its own. Its sink has each batch once, also one
 * that runs again after a kill.
 */
final class QueryUnderTest private[testing] (
    session: SparkSession,
    folder: Path,
    options: StartOptions,
    nowMs: () => Long
) {
  import QueryUnderTest._

  private val checkpoint = folder.resolve("checkpoint")
  private val lateFolder = folder.resolve("late")
  private val batches = mutable.SortedMap.empty[Long, Seq[Row]]
  private var frame: () => DataFrame = _
  private var columns = new StructType
  private var clock: SteppedClock = _
  private var started: StreamingQuery = _
  private var isDown = true
  private var ranBatches = 0L
  private var lastAsserted = -1L

  /** The run of the query, for everything that Spark and Tidegate tell of a query. */
  def streamingQuery: StreamingQuery = started

  /**
   * All rows that the query has emitted, batch by batch; in output mode complete those of the last
   * batch. Each has the columns that the query had then.
   */
  def emitted: Seq[Row] = rowsAfter(-1)

  /**
   * Compares the rows that the query has emitted since the last comparison that passed, in any
   * order; in output mode complete those of the last batch.
   *
   * @throws AssertionError
   *   if there are others; it shows the rows, the watermarks and why time stands where it does
   */
  @varargs def assertEmitted(rows: Row*): Unit =
    difference(session.createDataFrame(rows.asJava, columns)).foreach { text =>
      throw new AssertionError(text)
    }

  /** The rows that were late for an operator, with the columns of a table of late rows. */
  def late: Seq[Row] = lateTables.flatMap(_.collect())

  /**
   * The watermark, or that of an operator, in whole milliseconds; none until there is one.
   *
   * @throws AnalysisException
   *   if the query has no watermark and no operator of this name
   */
  def watermark(name: String): Option[Instant] = {
    val known = watermarks(KnownQueries.of(started))
    known
      .collectFirst { case (`name`, ms) => ms.map(Instant.ofEpochMilli) }
      .getOrElse(throw TestingErrors.unknownWatermark(name, known.map(_._1)))
  }

  /** Stops the query; rows that are fed from now on wait for a restart. */
  def stop(): Unit = {
    if (started != null) started.stop()
    isDown = true
  }

  /** Stops the query, if it runs, and starts it on its checkpoint. */
  def restart(): Unit = {
    stop()
    begin()
  }

  /** The same with another query, as after a change of the code. */
  def restart(changed: => DataFrame): Unit = {
    frame = () => changed
    restart()
  }

  /**
   * Lets the query die as if its process was killed after the last batch has written its rows and
   * before Spark has committed the batch. A restart runs this batch again.
   */
  def kill(): Unit = {
    // A query that stops still writes. The copy has what was there before.
    val copy = folder.resolve("killed")
    FileUtils.copyDirectory(checkpoint.toFile, copy.toFile)
    stop()
    FileUtils.deleteDirectory(checkpoint.toFile)
    FileUtils.moveDirectory(copy.toFile, checkpoint.toFile)
    lastBatch.foreach { batch =>
      val commits = checkpoint.resolve("commits").toFile
      Seq(s"$batch", s".$batch.crc").foreach(name => new java.io.File(commits, name).delete())
    }
  }

  /** What a failed test shows: rows, watermarks, and why time stands where it does. */
  def report: String = {
    val emitted = batches.toSeq.flatMap { case (id, rows) =>
      tables(rows).flatMap(texts).map(row => s"batch $id: $row")
    }
    val late = lateTables.flatMap(t => texts(t.select("operator", "watermark_time", "row")))
    val time = figures.toSeq.flatMap { found =>
      val named = watermarks(found).map { case (name, ms) =>
        s"$name: ${ms.fold("none")(Instant.ofEpochMilli(_).toString)}"
      }
      Seq(section("Watermarks", named), Explanation.of(found))
    }
    (Seq(section("Emitted", emitted), section("Late", late)) ++ time).mkString("\n\n")
  }

  private[testing] def begin(query: () => DataFrame): this.type = {
    frame = query
    begin()
    this
  }

  /** Runs triggers until nothing is due at the present time. */
  private[testing] def settle(): Unit = if (!isDown) {
    if (options.availableNow) started.awaitTermination()
    else {
      clock.awaitTrigger(started.isActive)
      var quiet = 0
      var batches = 0
      while (quiet < QuietTriggers && batches < MostBatches && started.isActive) {
        val before = ranBatches
        clock.step(started.isActive)
        if (ranBatches == before) quiet += 1
        else {
          quiet = 0
          batches += 1
        }
      }
      started.exception.foreach(throw _)
    }
  }

  /** Whether a run was not refused. */
  private[testing] def isStarted: Boolean = started != null

  /** The columns of the last run. */
  private[tidegate] def schema: StructType = columns

  /** As `emitted`: a table for each run that had other columns. */
  private[tidegate] def emittedTables: Seq[DataFrame] = tables(emitted)

  /** As `late`: a table for each operator, because their rows have other columns. */
  private[tidegate] def lateTables: Seq[DataFrame] = {
    val files = Option(lateFolder.toFile.listFiles).toSeq.flatten.map(_.toString).sorted
    files
      .collect { case file @ LateFile(operator) => operator -> file }
      .groupMap(_._1)(_._2)
      .toSeq
      .sortBy(_._1)
      .map { case (_, files) =>
        val rows = session.read.option("mergeSchema", "true").parquet(files: _*)
        rows.coalesce(1).sortWithinPartitions("batch_id", "event_time")
      }
  }

  /** How the rows since the last comparison differ from those that are expected, if they do. */
  private[tidegate] def difference(expected: DataFrame): Option[String] = {
    val known = columns.fieldNames.toSeq
    val names = expected.columns.toSeq
    names.find(!known.contains(_)).foreach { name =>
      throw TestingErrors.unknownColumn("The result of the query", name, known)
    }
    // Rows of a run without these columns are as they are, and equal none.
    def chosen(table: DataFrame): DataFrame =
      if (names.isEmpty || names.exists(!table.columns.contains(_))) table
      else table.select(names.map(n => col(quoteIdentifier(n))): _*)
    val found = tables(rowsAfter(lastAsserted)).flatMap(chosen(_).collect()).map(compared)
    val wanted =
      if (names.isEmpty) Nil
      else Casts.to(StructType(names.map(columns(_))), expected).collect().toSeq.map(compared)
    val parts = Seq("Missing" -> wanted.diff(found), "Unexpected" -> found.diff(wanted))
    if (parts.forall(_._2.isEmpty)) {
      lastAsserted = batches.lastOption.fold(lastAsserted)(_._1)
      None
    } else {
      val sections = parts.map { case (title, rows) =>
        section(title, tables(rows.map(_.row)).flatMap(texts))
      }
      val head = "The query has not emitted the rows that are expected."
      Some((head +: sections :+ report).mkString("\n\n"))
    }
  }

  private def begin(): Unit = withSettings {
    val df = toFolder(frame())
    columns = df.schema
    clock = new SteppedClock(nowMs)
    started = SteppedQueries.start(
      df,
      checkpoint.toString,
      options.outputMode,
      options.availableNow,
      clock
    ) { (rows, id) =>
      // Spark takes a batch for done only if its rows were read.
      val read = rows.collect().toSeq
      val _ = batches.getOrElseUpdate(id, read)
      ranBatches += 1
    }
    isDown = false
    settle()
  }

  /** A run has the settings of the session at its start. */
  private def withSettings(body: => Unit): Unit = {
    val all = DefaultSettings ++ options.settings
    val before = all.map { case (name, _) => name -> session.conf.getOption(name) }
    try {
      all.foreach { case (name, value) => session.conf.set(name, value) }
      body
    } finally
      before.foreach { case (name, value) =>
        value.fold(session.conf.unset(name))(session.conf.set(name, _))
      }
  }

  /** The query with its late rows in the folder of the test. */
  private def toFolder(df: DataFrame): DataFrame =
    SparkInternals.dataFrame(
      session,
      SparkInternals.analyzed(df).transform { case k: KeyedWatermark =>
        k.copy(spec = k.spec.copy(lateRows = Some(lateFolder.toString)))
      }
    )

  private def rowsAfter(batch: Long): Seq[Row] =
    if (options.outputMode == OutputMode.Complete()) batches.lastOption.fold(Seq.empty[Row])(_._2)
    else batches.iterator.filter(_._1 > batch).flatMap(_._2).toSeq

  private def lastBatch: Option[Long] =
    Option(checkpoint.resolve("offsets").toFile.list).toSeq.flatten
      .flatMap(_.toLongOption)
      .maxOption

  /** The rows in their order, in a table for each change of their columns. */
  private def tables(rows: Seq[Row]): Seq[DataFrame] =
    if (rows.isEmpty) Nil
    else {
      val schema = rows.head.schema
      val (same, others) = rows.span(_.schema == schema)
      session.createDataFrame(same.asJava, schema) +: tables(others)
    }

  private def texts(rows: DataFrame): Seq[String] =
    rows
      .select(to_json(struct(col("*")), Map("ignoreNullFields" -> "false")))
      .collect()
      .map(_.getString(0))
      .toSeq

  /** `None` for a query without keyed watermarks. */
  private def figures: Option[QueryFigures] =
    try Some(KnownQueries.of(started))
    catch { case _: AnalysisException => None }
}

private object QueryUnderTest {

  /** What a trigger finds is known at the next one. */
  private val QuietTriggers = 2

  /** A query with timeouts of processing time has a batch at each trigger, without an end. */
  private val MostBatches = 20

  /** For batches of a few rows. */
  private val DefaultSettings =
    Map("spark.sql.shuffle.partitions" -> "1", "spark.sql.streaming.pollingDelay" -> "0")

  private val LateFile = """.*[/\\]([^/\\.][^/\\]*)-[0-9a-f]{8}-\d{8,}-\d{5,}\.parquet""".r

  /** A row by its key. */
  private final case class Compared(key: Any)(val row: Row)

  private def compared(row: Row): Compared =
    Compared((row.schema.fieldNames.toSeq, content(row)))(row)

  /** A value that equals each one of the same content, which arrays of bytes and NaN do not. */
  private def content(value: Any): Any = value match {
    case row: Row                        => row.toSeq.map(content)
    case bytes: Array[Byte]              => bytes.toSeq
    case values: scala.collection.Seq[_] => values.map(content)
    case map: scala.collection.Map[_, _] => map.map { case (k, v) => content(k) -> content(v) }
    case number: Double if number.isNaN  => "NaN"
    case number: Float if number.isNaN   => "NaN"
    case other                           => other
  }

  private def watermarks(of: QueryFigures): Seq[(String, Option[Long])] =
    of.watermarks.toSeq.map { case (name, w) => name -> w.watermarkMs } ++
      of.operators.toSeq.map { case (name, o) => name -> o.watermarkMs }

  private def section(title: String, lines: Seq[String]): String =
    if (lines.isEmpty) s"$title: nothing" else (s"$title:" +: lines.map("  " + _)).mkString("\n")
}
