package tidegate

import scala.concurrent.Future

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Dataset, Row}
import tidegate.builders.{AsOfJoins, AsyncMaps, EventTimeOrders, StreamJoins, TopN}
import tidegate.plans.NamedOperator
import tidegate.request.WatermarkRequest
import tidegate.settings.Defaults

/** What every Dataset has: keyed watermarks, event-time order, top-N, joins and calls. */
final class KeyedTimeDataset[T](ds: Dataset[T]) extends WatermarkMethods[T](ds) {

  /**
   * Emits the rows of a stream in the order of their event time.
   *
   * A row waits until the watermark passes it: from then on no earlier row is expected. The rows
   * that are due in a batch leave together, sorted by time; rows with the same time leave in the
   * order of their arrival. Late rows are dropped and counted. A row without a time passes at once,
   * before the other rows of its batch. The watermark is passed on to the operators downstream.
   * Only output mode append is allowed.
   *
   * A batch DataFrame is sorted by the time, within the partitions of `partitionBy` or as a whole.
   *
   * {{{
   * df.withKeyedWatermark("time", "5 seconds").orderByEventTime(Seq("sensor"))
   * }}}
   *
   * @param partitionBy
   *   rows with equal values in these columns are in order; none: all rows are in order, by a
   *   single task
   * @param eventTime
   *   the column to order by; null: the only column with a keyed watermark, or on batch data the
   *   only column of type `TIMESTAMP` or `TIMESTAMP_NTZ`
   * @throws AnalysisException
   *   if a column does not exist or has the wrong type, if the stream has no keyed watermark on the
   *   time or more than one to choose from, or if the session does not have the extension; when the
   *   query starts, if its output mode is not append
   */
  def orderByEventTime(partitionBy: Seq[String] = Nil, eventTime: String = null): Dataset[T] =
    EventTimeOrders.order(ds, partitionBy, Option(eventTime))

  /**
   * Keeps the first rows of each group, with their places.
   *
   * Shorthand for `row_number()` over a window of `partitionBy` and `orderBy`, and a filter. With
   * the window of a window function among `partitionBy` the rows leave once, when the watermark
   * closes the window. In output mode update, a row replaces the one that had its group and its
   * place. Equal rows have any order. On batch data it is Spark's function.
   *
   * {{{
   * df.withColumn("window", window($"order_time", "1 hour"))
   *   .topN(3, Seq("window", "shop"), Seq($"price".desc))
   * }}}
   *
   * @param n
   *   how many rows of each group are kept, 1 or more
   * @param partitionBy
   *   the columns of a group
   * @param orderBy
   *   which rows come first
   * @param rank
   *   the name of the new column with the place of a row: 1 is the first
   * @throws AnalysisException
   *   if a column does not exist, if `n` is below 1, if there are no columns, or if the Dataset has
   *   a column `rank`; when the query starts, if no time with a watermark is among `partitionBy` in
   *   output mode append
   */
  def topN(
      n: Int,
      partitionBy: Seq[String],
      orderBy: Seq[Column],
      rank: String = "rank"
  ): DataFrame = TopN.of(ds, n, partitionBy, orderBy, rank)

  /**
   * Joins with another stream on columns of the same name, within a bound on the times of both
   * sides.
   *
   * Each side drops late rows by its own watermark. It keeps a row until the watermark of the other
   * side has passed every row that could match; at that moment an outer join emits a row without a
   * match. On batch data the result is a plain join with the bound as a condition.
   *
   * {{{
   * orders.streamJoin(
   *   deliveries,
   *   Seq("order_id"),
   *   "leftOuter",
   *   Between("delivery_time", "order_time", "0 seconds", "10 minutes"))
   * }}}
   *
   * @param on
   *   the columns that must be equal; the result has each of them once
   * @param how
   *   a join type of Spark's `join`: `inner`, `leftOuter`, `rightOuter`, `fullOuter`, `leftSemi`,
   *   `leftAnti`
   * @param between
   *   the bound; null: the equal columns give it, or a filter after an inner join
   * @throws AnalysisException
   *   if a column does not exist, has the wrong type or no watermark key, if a duration cannot be
   *   read, if the lower bound is above the upper one, if both sides have the same key for
   *   different columns, or if a join other than an inner join lacks a bound in one of the two
   *   directions
   */
  def streamJoin(
      right: Dataset[_],
      on: Seq[String],
      how: String = "inner",
      between: Between = null
  ): DataFrame =
    StreamJoins.join(ds, right, Left(on), how, Option(between))

  /**
   * Joins each row with the version of its key as of the time of the row: the newest row of `right`
   * with the same key whose time is at or before that of the row.
   *
   * Each row of a stream leaves once, when the watermark of `right` has passed its time: from then
   * on no other version can come. Rows without a version leave with nulls in a left join, and are
   * dropped in an inner one. The time of the left side keeps its watermark, held back by that of
   * `right`; the time of a version is no event time of the result.
   *
   * On batch Datasets, and on a stream with a table at its right side, the rows are the same; a
   * table has all its versions from the beginning.
   *
   * @param right
   *   the versions: a stream with a keyed watermark, or a table
   * @param on
   *   the columns of the key, which both sides have and the result has once
   * @param leftTime
   *   the time of the rows; by default the only time column with a watermark, or in a table the
   *   only time column
   * @param rightTime
   *   from when on a version is valid; by default as `leftTime`
   * @param how
   *   `"inner"` or `"left"`
   * @param tolerance
   *   how much older than the row its version may be, such as `"10 minutes"`; any age by default
   */
  def asOfJoin(
      right: Dataset[_],
      on: Seq[String],
      leftTime: String = null,
      rightTime: String = null,
      how: String = "inner",
      tolerance: String = null
  ): DataFrame =
    AsOfJoins.join(
      ds,
      right,
      Left(on),
      how,
      AsOfJoins.Arguments(Option(leftTime), Option(rightTime), Option(tolerance))
    )

  /**
   * As the other `asOfJoin`, on a condition. It must have an equality of a column of each side; the
   * rest is asked of a row and its version: if it is not true of them, the row has no version.
   */
  def asOfJoin(
      right: Dataset[_],
      on: Column,
      leftTime: String,
      rightTime: String,
      how: String,
      tolerance: String
  ): DataFrame =
    AsOfJoins.join(
      ds,
      right,
      Right(on),
      how,
      AsOfJoins.Arguments(Option(leftTime), Option(rightTime), Option(tolerance))
    )

  /** As the other `asOfJoin`, on a condition, with the only times of the sides. */
  def asOfJoin(right: Dataset[_], on: Column, how: String): DataFrame =
    asOfJoin(right, on, null, null, how, null)

  /** Joins with another stream on a condition; see the other `streamJoin`. */
  def streamJoin(right: Dataset[_], on: Column, how: String, between: Between): DataFrame =
    StreamJoins.join(ds, right, Right(on), how, Option(between))

  /** Joins with another stream on a condition that bounds their times itself. */
  def streamJoin(right: Dataset[_], on: Column, how: String): DataFrame =
    StreamJoins.join(ds, right, Right(on), how, None)

  /**
   * Calls a function with each row, many calls at a time in each task.
   *
   * The function begins a call and returns a `Future` of the row of the result. A column of the
   * result with the name and type of a column that has a keyed watermark keeps the watermark. A
   * batch of a stream ends when all its calls have ended, so time never overtakes a row. A batch
   * that is run again, after a failure or a restart, calls again.
   *
   * {{{
   * df.mapAsync(StructType.fromDDL("id long, price double"), maxInFlight = 200) { row =>
   *   client.price(row.getLong(0)).map(price => Row(row.getLong(0), price))
   * }
   * }}}
   *
   * @param schema
   *   the columns of the result. All are nullable; null in a column that the schema declares NOT
   *   NULL fails the query
   * @param ordered
   *   whether rows leave in the order in which they came. Otherwise they leave as soon as they have
   *   their answers
   * @param maxInFlight
   *   the largest number of calls in flight in a task, 1 or more
   * @param timeout
   *   how long an attempt may take, and each of `setup` and `teardown`, 1 ms or more; null: for
   *   ever
   * @param retries
   *   how often a failed call is made again, 0 or more: after a random pause of up to 0.1 s, then
   *   up to 0.2 s and so on, up to 10 s
   * @param onError
   *   what happens with a row whose call has failed for good. `fail`: the query fails. `null`: the
   *   row is null in the columns that the input does not have. `dead letter`: the row is written to
   *   `deadLetters` and left out
   * @param deadLetters
   *   a folder in any file system that Spark can write to, also one of other queries; null: none
   * @param breakAfter
   *   after how many failed calls in a row, in one task, the query fails whatever `onError` says
   * @param name
   *   the name of the function in messages and plans; null: the name of its class
   * @throws AnalysisException
   *   if the timeout cannot be read or is too short, if a number is too small, if the schema has a
   *   column twice or does not fit `onError`, or if the session does not have the extension; when
   *   the query runs, if a call fails for good or returns something that does not fit the schema
   */
  def mapAsync(
      schema: StructType,
      ordered: Boolean = true,
      maxInFlight: Int = Defaults.MaxInFlight,
      timeout: String = Defaults.CallTimeout,
      retries: Int = Defaults.Retries,
      onError: String = "fail",
      deadLetters: String = null,
      breakAfter: Int = Defaults.BreakAfter,
      name: String = null
  )(call: Row => Future[Row]): DataFrame = {
    val called = Option(name).getOrElse(AsyncMaps.nameOf(call))
    mapAsyncWith(
      schema,
      ordered,
      maxInFlight,
      timeout,
      retries,
      onError,
      deadLetters,
      breakAfter,
      called
    )(AsyncMaps.withoutKey(call))
  }

  /**
   * As `mapAsync`, for a function that opens what its calls need once for each task, or wants the
   * key of each call. `(row, key) => ...` is such a function, too.
   */
  def mapAsyncWith(
      schema: StructType,
      ordered: Boolean = true,
      maxInFlight: Int = Defaults.MaxInFlight,
      timeout: String = Defaults.CallTimeout,
      retries: Int = Defaults.Retries,
      onError: String = "fail",
      deadLetters: String = null,
      breakAfter: Int = Defaults.BreakAfter,
      name: String = null
  )(function: AsyncFunction): DataFrame =
    AsyncMaps.map(
      ds,
      function,
      schema,
      ordered,
      maxInFlight,
      Option(timeout),
      retries,
      onError,
      Option(deadLetters),
      breakAfter,
      Option(name)
    )

  /**
   * Names the stateful operator that makes a stream, such as its windows or its join.
   *
   * The name goes to the first operator with state below: filters and projections may stand in
   * between. The operator appears under its name in the log, in the progress of the query and in
   * `watermarks`. A restarted query finds the state of the operator by its name, so operators may
   * change their places between two runs. On batch data the name has no effect. In SQL the same is
   * the hint `SELECT /*+ TIDEGATE_NAME('hourly') */ ...`.
   *
   * {{{
   * df.groupBy(window($"order_time", "1 hour")).count().tidegateName("hourly")
   * }}}
   *
   * @param name
   *   a word of letters, digits, `_` and `-` that does not begin with a digit or `-`. Each operator
   *   of a query needs a name of its own
   * @throws AnalysisException
   *   if the name is not a word, or is a name that Tidegate gives, such as `aggregate-2`, or if the
   *   session does not have the extension; when the query starts, if the name has no operator over
   *   a keyed watermark or more than one, if an operator has two names, or if two operators have
   *   one name
   */
  def tidegateName(name: String): Dataset[T] = {
    // Without the extension Spark would ignore the hint.
    WatermarkRequest.checkExtension(ds)
    ds.hint(NamedOperator.Hint, name)
  }
}
