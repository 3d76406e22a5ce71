package tidegate

import java.time.Instant
import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{Column, DataFrame, Dataset, Row, SparkSession}
import org.json4s.JsonAST.JArray
import org.json4s.jackson.JsonMethods.compact
import tidegate.builders.{AsOfJoins, AsyncMaps, EventTimeOrders, StreamJoins}
import tidegate.clock.KnownQueries
import tidegate.core.figures.{Explanation, FiguresJson}
import tidegate.preparation.AdoptedCheckpoint
import tidegate.request.WatermarkRequest
import tidegate.settings.Defaults
import tidegate.snapshot.{SnapshotExport, SnapshotStart}
import tidegate.testing.{QueryUnderTest, StreamTest}

/** Everything that the Python package calls, over py4j. */
final class PythonFacade {

  /** Both watermarks of Datasets; the arguments have the names that they have there. */
  def withWatermark(
      df: Dataset[Row],
      eventTime: String,
      arguments: JMap[String, Any]
  ): DataFrame = WatermarkRequest.ofPython(arguments).on(df, eventTime)

  /**
   * See the method of the same name on Datasets; either `names` or `condition` is null. `between`
   * has its four parts, or is null.
   */
  def streamJoin(
      left: Dataset[Row],
      right: Dataset[Row],
      names: JList[String],
      condition: Column,
      how: String,
      between: JList[String]
  ): DataFrame =
    StreamJoins.join(
      left,
      right,
      Option(condition).toRight(names.asScala.toSeq),
      how,
      Option(between).map(_.asScala.toSeq).collect { case Seq(time, base, lower, upper) =>
        Between(time, base, lower, upper)
      }
    )

  /**
   * See the method of the same name on Datasets; either `names` or `condition` is null, and so are
   * times and tolerance that are left out.
   */
  def asOfJoin(
      left: Dataset[Row],
      right: Dataset[Row],
      names: JList[String],
      condition: Column,
      leftTime: String,
      rightTime: String,
      how: String,
      tolerance: String
  ): DataFrame =
    AsOfJoins.join(
      left,
      right,
      Option(condition).toRight(names.asScala.toSeq),
      how,
      AsOfJoins.Arguments(Option(leftTime), Option(rightTime), Option(tolerance))
    )

  /** See the method of the same name on Datasets; `eventTime` is null if it is left out. */
  def orderByEventTime(
      df: Dataset[Row],
      partitionBy: JList[String],
      eventTime: String
  ): DataFrame =
    EventTimeOrders.order(df, partitionBy.asScala.toSeq, Option(eventTime))

  /** See the method of the same name on Datasets. */
  def tidegateName(df: Dataset[Row], name: String): DataFrame = df.tidegateName(name)

  /** See the package's method of the same name; the watermark is in epoch ms, or null. */
  def adopt(checkpoint: String, query: DataFrame, outputMode: String): java.lang.Long =
    millis(tidegate.adopt(checkpoint, query, mode(outputMode)))

  /** The same for a query that was stopped. */
  def adopt(checkpoint: String, query: StreamingQuery): java.lang.Long =
    millis(tidegate.adopt(checkpoint, query))

  /** See the package's method of the same name; the watermark is in epoch ms, or null. */
  def release(checkpoint: String): java.lang.Long = millis(tidegate.release(checkpoint))

  private def millis(time: Option[Instant]): java.lang.Long =
    time.map(t => java.lang.Long.valueOf(t.toEpochMilli)).orNull

  /** Lets the next start of a query adopt its checkpoint. */
  def markForAdoption(checkpoint: String): Unit =
    AdoptedCheckpoint.mark(checkpoint, SparkSession.active)

  /** An export that is still to run; `copied` says how far it is. */
  def snapshotExport(query: StreamingQuery, path: String): SnapshotExport =
    SnapshotExport.of(query, path)

  /** The same for a checkpoint; `output` may be null. */
  def snapshotExport(checkpoint: String, path: String, output: String): SnapshotExport =
    SnapshotExport.of(checkpoint, path, Option(output), SparkSession.active)

  /** A checkpoint that is still to be made of a snapshot; `output` may be null. */
  def snapshotStart(snapshot: String, checkpoint: String, output: String): SnapshotStart =
    new SnapshotStart(snapshot, checkpoint, Option(output), SparkSession.active)

  /** Runs an export, and returns what it wrote, as JSON. */
  def run(`export`: SnapshotExport): String = `export`.run().text

  /** Stops the query when the export was verified. */
  def cancelAndRun(`export`: SnapshotExport, query: StreamingQuery): String =
    `export`.cancelAndRun(query).text

  /** Makes the checkpoint, and returns the id of its query. */
  def run(start: SnapshotStart): String = start.run().toString

  /** See the package's method of the same name. */
  def verifySnapshot(path: String): String = tidegate.verifySnapshot(path).text

  /** See the package's method of the same name. */
  def inspectSnapshot(path: String, countRows: Boolean): Inspection =
    tidegate.inspectSnapshot(path, countRows)

  /** See the package's methods of the same name; `keep` is null if nothing is to be deleted. */
  def snapshots(path: String, keep: Integer): String = {
    val found =
      if (keep == null) tidegate.snapshots(path) else tidegate.snapshots(path, keep.intValue)
    found.map(_.text).mkString("[", ",", "]")
  }

  /** See the package's method of the same name; the verdict as JSON. */
  def checkCompatibility(path: String, query: DataFrame, outputMode: String): String =
    tidegate.checkCompatibility(path, query, mode(outputMode)).json

  private def mode(name: String): OutputMode =
    Map("update" -> OutputMode.Update(), "complete" -> OutputMode.Complete())
      .getOrElse(name, OutputMode.Append())

  /**
   * What the arguments of `mapAsync` mean, as JSON: the schema, the timeout in ms, and the columns
   * that tell of the calls. `timeout` is null if there is none.
   */
  def asyncArguments(
      df: Dataset[Row],
      schema: String,
      timeout: String,
      onError: String
  ): String = {
    val (result, timeoutMs, calls) = AsyncMaps.arguments(df, schema, Option(timeout), onError)
    val ms = timeoutMs.fold("null")(_.toString)
    s"""{"schema": ${result.json}, "timeoutMs": $ms, "calls": ${calls.json}}"""
  }

  /** The results of `mapAsync` from what `mapped` has made of `df`; `deadLetters` may be null. */
  def mapAsync(
      df: Dataset[Row],
      mapped: Dataset[Row],
      function: String,
      deadLetters: String
  ): DataFrame = AsyncMaps.results(df, mapped, function, Option(deadLetters))

  /** The defaults of arguments, by the name of the argument. */
  def defaults(): JMap[String, String] =
    Map(
      "idleTimeout" -> Defaults.IdleTimeout,
      "ingestionTime" -> Defaults.IngestionTime,
      "maxIdleLag" -> Defaults.MaxIdleLag,
      "timeout" -> Defaults.CallTimeout,
      "maxInFlight" -> Defaults.MaxInFlight.toString,
      "retries" -> Defaults.Retries.toString,
      "breakAfter" -> Defaults.BreakAfter.toString
    ).asJava

  /** The watermarks of a query and of its operators by name, as JSON; times in epoch ms. */
  def watermarks(query: StreamingQuery): String =
    compact(FiguresJson.watermarks(KnownQueries.of(query)))

  /** The watermarks at the end of the last batches of a query, as JSON; times in epoch ms. */
  def progress(query: StreamingQuery, last: Int): String =
    compact(JArray(KnownQueries.of(query).batches.takeRight(last).toList.map(FiguresJson.of(_))))

  /** A test whose clock stands at `now`, or at its default if that is null. */
  def streamTest(session: SparkSession, now: String): StreamTest =
    Option(now).fold(new StreamTest(session))(new StreamTest(session, _))

  /** An input of a test; its columns are JSON, which has each name that a column may have. */
  def input(test: StreamTest, name: String, schema: String): DataFrame =
    test.input(name, DataType.fromJson(schema).asInstanceOf[StructType])

  /** Gives inputs of a test rows. */
  def feed(test: StreamTest, rows: JMap[String, DataFrame]): Unit =
    test.feedTables(rows.asScala.toMap)

  /** The columns of an input as JSON. */
  def schema(test: StreamTest, input: String): String = test.schema(input).json

  /** Starts a query of a test. */
  def start(
      test: StreamTest,
      query: DataFrame,
      outputMode: String,
      availableNow: Boolean,
      settings: JMap[String, String]
  ): QueryUnderTest =
    test.start(query, mode(outputMode), availableNow, settings.asScala.toMap)

  /** Starts a query of a test on its checkpoint. */
  def restart(query: QueryUnderTest, df: DataFrame): Unit = query.restart(df)

  /** The columns of a query of a test as JSON. */
  def columns(query: QueryUnderTest): String = query.schema.json

  /** The rows of a query of a test, a table for each run that had other columns. */
  def emitted(query: QueryUnderTest): JList[DataFrame] = query.emittedTables.asJava

  /** The late rows of a query of a test, a table for each operator. */
  def late(query: QueryUnderTest): JList[DataFrame] = query.lateTables.asJava

  /** In epoch ms, or null. */
  def watermark(query: QueryUnderTest, name: String): java.lang.Long =
    millis(query.watermark(name))

  /** How the rows of a query of a test differ from those that are expected; null if they do not. */
  def difference(query: QueryUnderTest, expected: DataFrame): String =
    query.difference(expected).orNull

  /** See the package's method of the same name. */
  def explainTime(query: StreamingQuery): String = Explanation.of(KnownQueries.of(query))
}
