package tidegate.builders

import java.util.Locale

import scala.concurrent.Future
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{DataFrame, Dataset, Row}
import tidegate.columns.EventTimeTag
import tidegate.errors.AsyncErrors
import tidegate.plans._
import tidegate.request.{Durations, WatermarkRequest}
import tidegate.settings.Defaults

/** Builds asynchronous calls; the one place where their arguments are checked. */
private[tidegate] object AsyncMaps {

  /** Implements the method `mapAsyncWith` of a Dataset; see there. */
  def map(
      ds: Dataset[_],
      function: AsyncFunction,
      schema: StructType,
      ordered: Boolean,
      maxInFlight: Int,
      timeout: Option[String],
      retries: Int,
      onError: String,
      deadLetters: Option[String],
      breakAfter: Int,
      name: Option[String]
  ): DataFrame = {
    atLeast("maxInFlight", maxInFlight, 1, Defaults.MaxInFlight)
    atLeast("retries", retries, 0, Defaults.Retries)
    atLeast("breakAfter", breakAfter, 1, Defaults.BreakAfter)
    val reaction = reactionOf(onError)
    if (deadLetters.isDefined != (reaction == OnError.DeadLetter))
      throw AsyncErrors.deadLetters(deadLetters, onError)
    val timeoutMs = check(ds, schema, timeout, reaction)
    val called = name.getOrElse(nameOf(function))
    val options =
      CallOptions(called, ordered, maxInFlight, timeoutMs, retries, reaction, breakAfter)
    val input = SparkInternals.analyzed(ds)
    // Rows that are left out are null in all columns.
    val calls = CallColumns.of(input.output, reaction)
    val wide = StructType(schema.map(_.copy(nullable = true)) ++ calls)
    val output = DataTypeUtils.toAttributes(wide)
    val mapped = AsyncMap(function, options, schema, input.output, output, input)
    // With names of their own, so that Spark can join the result with itself.
    val columns = Project(output.map(a => Alias(a, a.name)()), mapped)
    results(ds, columns, called, deadLetters)
  }

  /**
   * The schema, the timeout in ms, and the columns that tell of the calls, of a call from Python,
   * which has checked the numbers.
   *
   * @param schema
   *   columns and types, or a schema as JSON
   */
  def arguments(
      ds: Dataset[_],
      schema: String,
      timeout: Option[String],
      onError: String
  ): (StructType, Option[Long], StructType) = {
    val (read, reaction) = (readSchema(schema), reactionOf(onError))
    val timeoutMs = check(ds, read, timeout, reaction)
    (read, timeoutMs, CallColumns.of(SparkInternals.analyzed(ds).output, reaction))
  }

  /** The results of calls; `mapped` has `CallColumns` behind the columns of the result. */
  def results(
      ds: Dataset[_],
      mapped: Dataset[_],
      function: String,
      deadLetters: Option[String]
  ): DataFrame = results(ds, SparkInternals.analyzed(mapped), function, deadLetters)

  private def results(
      ds: Dataset[_],
      mapped: LogicalPlan,
      function: String,
      deadLetters: Option[String]
  ): DataFrame = {
    val (columns, calls) = mapped.output.splitAt(CallColumns.begin(mapped.output))
    val times = columns.flatMap(a => eventTime(SparkInternals.analyzed(ds), a).map(a -> _))
    SparkInternals.dataFrame(
      ds.sparkSession,
      AsyncCalls(
        times.map(_._1),
        times.map(_._2.metadata),
        calls,
        function,
        deadLetters.map(folder(ds, _)),
        mapped
      )
    )
  }

  /** A column with the mark of the event time of the input that has its name and type. */
  private def eventTime(input: LogicalPlan, column: Attribute): Option[Attribute] = for {
    time <- input.output.find(a => a.name == column.name && a.dataType == column.dataType)
    if EventTimeTag.isTime(time)
    key <- EventTimeTag.key(time)
  } yield EventTimeTag.add(column, key, EventTimeTag.lagMs(time).getOrElse(0L))

  /** A function that does not ask for keys; made here, so that tasks get nothing but the call. */
  def withoutKey(call: Row => Future[Row]): AsyncFunction = (row, _) => call(row)

  /** The name of the class of a function; for a lambda, of the class around it. */
  def nameOf(function: AnyRef): String = function.getClass.getName.split("\\$\\$Lambda").head

  private def check(
      ds: Dataset[_],
      schema: StructType,
      timeout: Option[String],
      onError: OnError
  ): Option[Long] = {
    WatermarkRequest.checkExtension(ds)
    checkColumns(schema)
    if (onError == OnError.Null) {
      val input = ds.schema
      schema
        .find(f => !f.nullable && !input.exists(i => i.name == f.name && i.dataType == f.dataType))
        .foreach(field => throw AsyncErrors.nullColumn(field.name))
    }
    timeout.map(Durations.parseMs("timeout", _, smallestMs = 1))
  }

  private def checkColumns(schema: StructType): Unit = {
    val names = schema.fieldNames.toSeq
    names.find(CallColumns.names.contains).foreach(name => throw AsyncErrors.columnReserved(name))
    names
      .groupBy(_.toLowerCase(Locale.ROOT))
      .values
      .find(_.size > 1)
      .foreach(same => throw AsyncErrors.columnTwice(same.head))
  }

  private def readSchema(text: String): StructType =
    try if (text.startsWith("{")) jsonSchema(text) else StructType.fromDDL(text)
    catch { case NonFatal(error) => throw AsyncErrors.schema(text, error) }

  private def jsonSchema(text: String): StructType = DataType.fromJson(text) match {
    case struct: StructType => struct
    case other              => throw new IllegalArgumentException(other.sql)
  }

  private def reactionOf(onError: String): OnError =
    OnError.of(onError).getOrElse(throw AsyncErrors.onError(onError, OnError.names))

  private def atLeast(argument: String, found: Int, smallest: Int, example: Int): Unit =
    if (found < smallest) throw AsyncErrors.number(argument, found, smallest, example)

  /** The full path of a folder for dead letters. */
  private def folder(ds: Dataset[_], path: String): String =
    try {
      val folder = new Path(path)
      folder
        .getFileSystem(SparkInternals.hadoopConf(ds.sparkSession))
        .makeQualified(folder)
        .toString
    } catch { case NonFatal(error) => throw AsyncErrors.deadLetterFolder(path, error) }
}
