import java.time.Instant

import scala.concurrent.Future

import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Dataset, Row, SparkSession}
import tidegate.builders.{
  AsyncMaps,
  EventTimeOrders,
  KeyedWatermarks,
  OperatorNames,
  Policies,
  StreamJoins
}
import tidegate.clock.KnownQueries
import tidegate.core.figures.Explanation
import tidegate.errors.PolicyErrors
import tidegate.preparation.AdoptedCheckpoint
import tidegate.settings.Defaults

/**
 * Keyed event time for Spark Structured Streaming.
 *
 * {{{
 * import tidegate._
 *
 * val orders = stream.withKeyedWatermark("order_time", "5 seconds", substream = Seq("partition"))
 * val counts = orders.groupBy(window($"order_time", "10 seconds")).count()
 * }}}
 *
 * Durations are Spark interval texts of whole milliseconds, such as `"5 seconds"`. Every method
 * that takes a duration throws an `AnalysisException` that names the argument if the text cannot be
 * read.
 */
package object tidegate extends tidegate.PolicyFunctions with tidegate.SnapshotFunctions {

  /** A watermark policy, as `fixedLag` and the other policy functions return it. */
  type PolicySpec = core.policy.PolicySpec

  /** Makes policies by name, such as `PolicySpec.of("fixedLag", Seq("5 seconds"))`. */
  object PolicySpec {

    /** The names of the policies for event times. */
    val names: Seq[String] = core.policy.PolicySpec.names

    /**
     * A policy by its name.
     *
     * @throws AnalysisException
     *   if no policy has that name and number of arguments, or if a duration cannot be read or is
     *   negative
     */
    def of(name: String, durations: Seq[String]): PolicySpec = Policies.policy(name, durations)
  }

  /** Says which advances of a watermark become visible; `byFrame` and `byMinStep` return one. */
  type EmissionSpec = core.policy.EmissionSpec

  /** Makes emissions by name, such as `EmissionSpec.of("byMinStep", Seq("1 second"))`. */
  object EmissionSpec {

    /** The names of the emissions. */
    val names: Seq[String] = core.policy.EmissionSpec.names

    /**
     * An emission by its name: `byFrame(size [, offset])` or `byMinStep(step)`.
     *
     * @throws AnalysisException
     *   if no emission has that name and number of arguments, or if a duration cannot be read or is
     *   below 1 ms
     */
    def of(name: String, durations: Seq[String]): EmissionSpec =
      Policies.emission(name, durations)
  }

  /** The bound of a stream join on the times of its sides. */
  type Between = builders.Between
  val Between: builders.Between.type = builders.Between

  /** A function that answers rows later, for `mapAsyncWith`. */
  type AsyncFunction = plans.AsyncFunction

  /** Which call of a query this is. */
  type CallKey = plans.CallKey
  val CallKey: plans.CallKey.type = plans.CallKey

  /**
   * The watermarks of a query, running or ended, and of its stateful operators, by name; and what
   * holds each back.
   *
   * {{{
   * val now = watermarks(query)
   * now.watermarks("orders").watermark // Some(2026-01-01T00:00:55Z)
   * now.operators("aggregate").lateRows // 2
   * }}}
   *
   * @throws AnalysisException
   *   if the query has no keyed watermark, or ended before Spark planned it
   */
  def watermarks(query: StreamingQuery): QueryWatermarks =
    QueryWatermarks.of(KnownQueries.of(query))

  /**
   * What the last batches of a query did to time, running or ended, the oldest first.
   *
   * {{{
   * val batch = progress(query, last = 1).head
   * batch.watermarks("orders").lagMs // Some(5250)
   * }}}
   *
   * @param last
   *   of so many batches at most. The driver remembers the last 1,000 of this run, or as many as
   *   `spark.tidegate.progress.batches` says
   * @throws AnalysisException
   *   if the query has no keyed watermark, or ended before Spark planned it
   */
  def progress(query: StreamingQuery, last: Int = Int.MaxValue): Seq[BatchProgress] =
    KnownQueries.of(query).batches.takeRight(last).map(BatchProgress.of(_))

  /**
   * What a batch did to time, from the progress that Spark tells listeners; `None` for a query
   * without keyed watermarks, and for a trigger without a batch.
   */
  def progressOf(progress: StreamingQueryProgress): Option[BatchProgress] =
    BatchProgress.of(progress)

  /**
   * Prints in plain sentences how far the time of a query is, what holds what back, since when, and
   * what would help.
   *
   * @throws AnalysisException
   *   if the query has no keyed watermark, or ended before Spark planned it
   */
  def explainTime(query: StreamingQuery): Unit = println(timeExplanation(query))

  /** What `explainTime` prints. */
  def timeExplanation(query: StreamingQuery): String =
    Explanation.of(KnownQueries.of(query))

  /**
   * Lets a query with keyed watermarks continue from a checkpoint that was made without Tidegate:
   * the watermarks begin where Spark's was, and the state stays where it is. The old offset log is
   * kept in the folder `offsets.spark` of the checkpoint.
   *
   * {{{
   * val watermark = tidegate.adopt("/checkpoints/hourly", hourly)
   * }}}
   *
   * @param checkpoint
   *   the `checkpointLocation` of the query, which must not run
   * @param query
   *   the query, with `withKeyedWatermark`; or with `withWatermark`, if
   *   `spark.tidegate.replaceWithWatermark` is set
   * @param outputMode
   *   the output mode of the query
   * @return
   *   the watermark from which the query continues; `None` if Spark had none yet
   * @throws AnalysisException
   *   if there is no checkpoint, if it has other sources, if it has keyed watermarks already, or if
   *   its query is running
   */
  def adopt(
      checkpoint: String,
      query: DataFrame,
      outputMode: OutputMode = OutputMode.Append()
  ): Option[Instant] =
    instant(
      AdoptedCheckpoint.adopt(
        SparkInternals.analyzed(query),
        outputMode,
        checkpoint,
        query.sparkSession
      )
    )

  /**
   * As the other `adopt`, with the plan and the output mode of a query that was stopped, for
   * instance of the job that made the checkpoint.
   *
   * @param query
   *   a query with `withWatermark` that does not run, if `spark.tidegate.replaceWithWatermark` is
   *   set
   * @throws AnalysisException
   *   also if the query is running, or ran with keyed watermarks
   */
  def adopt(checkpoint: String, query: StreamingQuery): Option[Instant] =
    instant(AdoptedCheckpoint.adopt(query, checkpoint))

  /**
   * The way back: lets a query without Tidegate continue from the checkpoint of a query with keyed
   * watermarks, from the lowest of them. The old offset log is kept in the folder
   * `offsets.tidegate` of the checkpoint.
   *
   * @param checkpoint
   *   the `checkpointLocation` of the query, which must not run
   * @return
   *   the watermark from which the query continues; `None` if there was none yet
   * @throws AnalysisException
   *   if there is no checkpoint of a keyed query, if some state is not Spark's (windows from
   *   frames, event-time order), if operators have names, or if the query is running
   */
  def release(checkpoint: String): Option[Instant] =
    instant(AdoptedCheckpoint.release(checkpoint, SparkSession.active))

  private def instant(ms: Long): Option[Instant] = Option.when(ms > 0)(Instant.ofEpochMilli(ms))

  /** Adds keyed watermarks, event-time order and stream joins to every Dataset. */
  implicit final class KeyedTimeDataset[T](private val ds: Dataset[T]) extends AnyVal {

    /**
     * Gives the event time column a watermark of its own: the minimum over the substreams that are
     * not idle. On batch data the method has no effect.
     *
     * {{{
     * df.withKeyedWatermark("order_time", "5 seconds", substream = Seq("topic", "partition"))
     * df.withKeyedWatermark("order_time", policy = limitingLagAndLull("5 seconds", "10 seconds"))
     * }}}
     *
     * @param eventTime
     *   a `TIMESTAMP` or `TIMESTAMP_NTZ` column
     * @param lag
     *   how far the watermark stays behind the highest event time; give either `lag` or `policy`
     * @param key
     *   0 to 127: streams with the same key share one notion of time
     * @param policy
     *   how the watermark of a substream follows its events; give either `policy` or `lag`
     * @param substream
     *   the columns whose values name a substream; none: the whole stream is one substream
     * @param idleTimeout
     *   how long a substream may be without events, and without unread backlog, before it is idle
     *   and left out of the minimum; null: never idle
     * @param emission
     *   which advances become visible; null: by the frames of the windows downstream, or by frames
     *   of 1 second where there are no windows
     * @param name
     *   the name of the watermark, by which a restarted query finds its state; null: the name of
     *   the column
     * @param maxFutureSkew
     *   how far ahead of the wall clock an event may be: an event further ahead moves no watermark
     *   and is counted; null: no limit
     * @param flush
     *   whether event time ends together with a run with `Trigger.AvailableNow`: all windows close
     *   and all rows leave the state. Rows of a later run on the same checkpoint are late
     * @param idleBehind
     *   how long a substream may be without events before it is left out, if its watermark is
     *   behind the highest one: its next rows would be late. Below `idleTimeout` it has no effect;
     *   null: as long as `idleTimeout`
     * @param lateRows
     *   the name of a table, which the query makes, or a folder (with a slash), to which the rows
     *   that operators drop as late are written as Parquet files; null: late rows are only counted
     * @param allowedLateness
     *   how much longer than the watermark says aggregations by windows take rows, in output mode
     *   update: each late row in this time puts out a corrected row of its window; null: no longer
     * @throws AnalysisException
     *   if a column does not exist or has the wrong type, if the key is out of range or already
     *   used on this stream, if a duration cannot be read, or if the session does not have the
     *   extension
     */
    def withKeyedWatermark(
        eventTime: String,
        lag: String = null,
        key: Int = 0,
        policy: PolicySpec = null,
        substream: Seq[String] = Nil,
        idleTimeout: String = Defaults.IdleTimeout,
        emission: EmissionSpec = null,
        name: String = null,
        maxFutureSkew: String = null,
        flush: Boolean = false,
        idleBehind: String = null,
        lateRows: String = null,
        allowedLateness: String = null
    ): Dataset[T] =
      KeyedWatermarks.add(
        ds,
        eventTime,
        key,
        lagOrPolicy(lag, policy),
        substream,
        Option(idleTimeout),
        Option(emission),
        Option(name),
        Option(maxFutureSkew),
        flush,
        Option(idleBehind),
        lateRows = Option(lateRows),
        allowedLateness = Option(allowedLateness)
      )

    /**
     * Gives the event time column a watermark that follows the append times of rows: the times at
     * which they were appended to their substreams. The source must record these times, as Kafka
     * does for topics with `message.timestamp.type=LogAppendTime`. On batch data the method has no
     * effect.
     *
     * After a row that was appended at `t`, a substream has only rows that were appended at `t` or
     * later. So its watermark is `t` - 1 ms - `maxEventTimeLag`, and the watermark of the stream is
     * the minimum over all substreams. As long as event times are at most `maxEventTimeLag` older
     * than append times, no row is late. No substream is ever idle: a substream that is read to its
     * end advances with the wall clock, `maxIdleLag` behind it.
     *
     * {{{
     * df.withIngestionWatermark("order_time", "1 minute", substream = Seq("topic", "partition"))
     * }}}
     *
     * @param eventTime
     *   a `TIMESTAMP` or `TIMESTAMP_NTZ` column
     * @param maxEventTimeLag
     *   how much older than the append time of its row an event time may be, 0 or more
     * @param ingestionTime
     *   the column with the append times; by default `timestamp`, as Kafka's source calls it
     * @param substream
     *   the columns whose values name a substream, in which append times ascend, such as topic and
     *   partition; none: the whole stream is one substream
     * @param maxIdleLag
     *   how far a substream that is read to its end stays behind the wall clock; by default 10
     *   seconds
     * @param key
     *   0 to 127: streams with the same key share one notion of time
     * @param emission
     *   which advances become visible; null: by the frames of the windows downstream, or by frames
     *   of 1 second where there are no windows
     * @param name
     *   the name of the watermark, by which a restarted query finds its state; null: the name of
     *   the column
     * @param flush
     *   whether event time ends together with a run with `Trigger.AvailableNow`: all windows close
     *   and all rows leave the state. Rows of a later run on the same checkpoint are late
     * @throws AnalysisException
     *   if a column does not exist or has the wrong type, if the key is out of range or already
     *   used on this stream, if a duration cannot be read, or if the session does not have the
     *   extension. A query fails if the broker did not set the timestamps of a topic's rows
     */
    def withIngestionWatermark(
        eventTime: String,
        maxEventTimeLag: String,
        ingestionTime: String = "timestamp",
        substream: Seq[String] = Nil,
        maxIdleLag: String = Defaults.MaxIdleLag,
        key: Int = 0,
        emission: EmissionSpec = null,
        name: String = null,
        flush: Boolean = false
    ): Dataset[T] =
      KeyedWatermarks.add(
        ds,
        eventTime,
        key,
        Policies.policy(core.policy.PolicySpec.IngestionTime, Seq(maxEventTimeLag, maxIdleLag)),
        substream,
        idleTimeout = None,
        Option(emission),
        Option(name),
        maxFutureSkew = None,
        flush,
        ingestionTime = Option(ingestionTime)
      )

    /**
     * Emits the rows of a stream in the order of their event time.
     *
     * A row waits until the watermark passes it: from then on no earlier row is expected. The rows
     * that are due in a batch leave together, sorted by time; rows with the same time leave in the
     * order of their arrival. Late rows are dropped and counted. A row without a time passes at
     * once, before the other rows of its batch. The watermark is passed on to the operators
     * downstream. Only output mode append is allowed.
     *
     * A batch DataFrame is sorted by the time, within the partitions of `partitionBy` or as a
     * whole.
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
     *   if a column does not exist or has the wrong type, if the stream has no keyed watermark on
     *   the time or more than one to choose from, or if the session does not have the extension;
     *   when the query starts, if its output mode is not append
     */
    def orderByEventTime(partitionBy: Seq[String] = Nil, eventTime: String = null): Dataset[T] =
      EventTimeOrders.order(ds, partitionBy, Option(eventTime))

    /**
     * Joins with another stream on columns of the same name, within a bound on the times of both
     * sides.
     *
     * Each side drops late rows by its own watermark. It keeps a row until the watermark of the
     * other side has passed every row that could match; at that moment an outer join emits a row
     * without a match. On batch data the result is a plain join with the bound as a condition.
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
     *   whether rows leave in the order in which they came. Otherwise they leave as soon as they
     *   have their answers
     * @param maxInFlight
     *   the largest number of calls in flight in a task, 1 or more
     * @param timeout
     *   how long an attempt may take, 1 ms or more; null: for ever
     * @param retries
     *   how often a failed call is made again, 0 or more: after a random pause of up to 0.1 s, then
     *   up to 0.2 s and so on, up to 10 s
     * @param onError
     *   what happens with a row whose call has failed for good. `fail`: the query fails. `null`:
     *   the row is null in the columns that the input does not have. `dead letter`: the row is
     *   written to `deadLetters` and left out
     * @param deadLetters
     *   a folder in any file system that Spark can write to; null: none. Each call of `mapAsync`
     *   needs its own
     * @param breakAfter
     *   after how many failed calls in a row, in one task, the query fails whatever `onError` says
     * @param name
     *   the name of the function in messages and plans; null: the name of its class
     * @throws AnalysisException
     *   if the timeout cannot be read or is too short, if a number is too small, if the schema has
     *   a column twice or does not fit `onError`, or if the session does not have the extension;
     *   when the query runs, if a call fails for good or returns something that does not fit the
     *   schema
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
      )((row, _) => call(row))
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
     * change their places between two runs. On batch data the name has no effect. In SQL the same
     * is the hint `SELECT /*+ TIDEGATE_NAME('hourly') */ ...`.
     *
     * {{{
     * df.groupBy(window($"order_time", "1 hour")).count().tidegateName("hourly")
     * }}}
     *
     * @param name
     *   a word of letters, digits, `_` and `-` that does not begin with a digit or `-`. Each
     *   operator of a query needs a name of its own
     * @throws AnalysisException
     *   if the name is not a word, or is a name that Tidegate gives, such as `aggregate-2`, or if
     *   the session does not have the extension; when the query starts, if the name has no operator
     *   over a keyed watermark or more than one, if an operator has two names, or if two operators
     *   have one name
     */
    def tidegateName(name: String): Dataset[T] = OperatorNames.give(ds, name)
  }

  private def lagOrPolicy(lag: String, policy: PolicySpec): PolicySpec =
    (Option(lag), Option(policy)) match {
      case (Some(l), None) => fixedLag(l)
      case (None, Some(p)) => p
      case (None, None)    => throw PolicyErrors.lagOrPolicy("neither of them")
      case _               => throw PolicyErrors.lagOrPolicy("both of them")
    }
}
