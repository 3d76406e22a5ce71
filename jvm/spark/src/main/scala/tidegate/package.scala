import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{Column, DataFrame, Dataset}
import tidegate.builders.{EventTimeOrders, KeyedWatermarks, Policies, StreamJoins}
import tidegate.errors.PolicyErrors
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
 * that takes one throws an `AnalysisException` naming the argument if it cannot be read.
 */
package object tidegate extends tidegate.PolicyFunctions {

  /** A watermark policy, as `fixedLag` and the others make it. */
  type PolicySpec = core.policy.PolicySpec

  /** Policies by their name, such as `PolicySpec.of("fixedLag", Seq("5 seconds"))`. */
  object PolicySpec {

    /** The names of the policies for event times. */
    val names: Seq[String] = core.policy.PolicySpec.names

    /**
     * A policy by its name.
     *
     * @throws AnalysisException
     *   if there is none of that name and number of arguments, or if a duration cannot be read or
     *   is negative
     */
    def of(name: String, durations: Seq[String]): PolicySpec = Policies.policy(name, durations)
  }

  /** Which advances of a watermark become visible, as `byFrame` and `byMinStep` make it. */
  type EmissionSpec = core.policy.EmissionSpec

  /** Emissions by their name, such as `EmissionSpec.of("byMinStep", Seq("1 second"))`. */
  object EmissionSpec {

    /** The names of the emissions. */
    val names: Seq[String] = core.policy.EmissionSpec.names

    /**
     * An emission by its name: `byFrame(size [, offset])` or `byMinStep(step)`.
     *
     * @throws AnalysisException
     *   if there is none of that name and number of arguments, or if a duration cannot be read or
     *   is below 1 ms
     */
    def of(name: String, durations: Seq[String]): EmissionSpec =
      Policies.emission(name, durations)
  }

  /** The bound of a stream join on the times of its sides. */
  type Between = builders.Between
  val Between: builders.Between.type = builders.Between

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
   *   if the query has no keyed watermark, or has ended before Spark had planned it
   */
  def watermarks(query: StreamingQuery): QueryWatermarks = QueryWatermarks.of(query)

  /** Adds keyed watermarks, event-time order and stream joins to every Dataset. */
  implicit final class KeyedTimeDataset[T](private val ds: Dataset[T]) extends AnyVal {

    /**
     * Gives the event time column a watermark of its own, coalesced as the minimum over the
     * substreams that are not idle. On batch data it is the identity.
     *
     * {{{
     * df.withKeyedWatermark("order_time", "5 seconds", substream = Seq("topic", "partition"))
     * df.withKeyedWatermark("order_time", policy = limitingLagAndLull("5 seconds", "10 seconds"))
     * }}}
     *
     * @param eventTime
     *   a `TIMESTAMP` or `TIMESTAMP_NTZ` column
     * @param lag
     *   how far the watermark stays behind the highest event time; this or `policy`
     * @param key
     *   0 to 127: streams with the same key share one notion of time
     * @param policy
     *   how the watermark of a substream follows its events; this or `lag`
     * @param substream
     *   the columns that name a substream; none: the whole stream is one
     * @param idleTimeout
     *   after how long without events, and without unread backlog, a substream is left out; null:
     *   never
     * @param emission
     *   which advances become visible; null: by the windows downstream, else 1 second
     * @param name
     *   the name of the watermark; null: the column's. Names survive restarts
     * @param maxFutureSkew
     *   an event further ahead of the wall clock moves no watermark and is counted; null: no limit
     * @param flush
     *   whether a run with `Trigger.AvailableNow` ends with the end of time: all windows close and
     *   all state leaves. Rows that come in a later run on the same checkpoint are late
     * @throws AnalysisException
     *   if a column does not exist or has the wrong type, if the key is out of range or used on
     *   this stream, if a duration cannot be read, or if the session does not have the extension
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
        flush: Boolean = false
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
        flush
      )

    /**
     * Gives the event time column a watermark that follows the times at which rows were appended to
     * their substreams: for sources that write them, as Kafka does for topics with
     * `message.timestamp.type=LogAppendTime`. On batch data it is the identity.
     *
     * After a row that was appended at `t`, a substream can only have rows that were appended at
     * `t` or later. So if event times are at most `maxEventTimeLag` older, the watermark is `t` - 1
     * ms - `maxEventTimeLag`, the minimum over all substreams: as long as that holds, no row is
     * ever late. No substream is ever idle: one that is read to its end advances with the wall
     * clock, `maxIdleLag` behind it.
     *
     * {{{
     * df.withIngestionWatermark("order_time", "1 minute", substream = Seq("topic", "partition"))
     * }}}
     *
     * @param eventTime
     *   a `TIMESTAMP` or `TIMESTAMP_NTZ` column
     * @param maxEventTimeLag
     *   how much older than its time of appending an event time may be, 0 or more
     * @param ingestionTime
     *   the column with the times of appending; by default `timestamp`, as Kafka's source calls it
     * @param substream
     *   the columns that name the parts in which these times ascend, such as topic and partition;
     *   none: the whole stream is one
     * @param maxIdleLag
     *   how far a substream that is read to its end stays behind the wall clock; by default 10
     *   seconds
     * @param key
     *   0 to 127: streams with the same key share one notion of time
     * @param emission
     *   which advances become visible; null: by the windows downstream, else 1 second
     * @param name
     *   the name of the watermark; null: the column's. Names survive restarts
     * @param flush
     *   whether a run with `Trigger.AvailableNow` ends with the end of time: all windows close and
     *   all state leaves. Rows that come in a later run on the same checkpoint are late
     * @throws AnalysisException
     *   if a column does not exist or has the wrong type, if the key is out of range or used on
     *   this stream, if a duration cannot be read, or if the session does not have the extension. A
     *   query fails if the rows of a topic do not have the times of the broker
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
        Option(ingestionTime)
      )

    /**
     * Puts the rows of a stream out in the order of their event time.
     *
     * A row waits until the watermark has passed it, which is when no row can come any more that
     * belongs before it; then it leaves, with the others that are due in its batch sorted by their
     * time. Rows of one time leave in the order of their arrival. Late rows are dropped and
     * counted. A row without a time passes at once, before the others of its batch. The watermark
     * goes on to the operators behind it. Only for output mode append.
     *
     * A table is sorted by the time: within the partitions of `partitionBy`, or as a whole.
     *
     * {{{
     * df.withKeyedWatermark("time", "5 seconds").orderByEventTime(Seq("sensor"))
     * }}}
     *
     * @param partitionBy
     *   the columns whose equal values are in order; none: all rows are, by a single task
     * @param eventTime
     *   the column to order by; null: the only one with a keyed watermark, and of a table the only
     *   one of type `TIMESTAMP` or `TIMESTAMP_NTZ`
     * @throws AnalysisException
     *   if a column does not exist or has the wrong type, if the stream has no keyed watermark on
     *   the time or more than one to choose from, or if the session does not have the extension;
     *   when the query starts, if its output mode is not append
     */
    def orderByEventTime(partitionBy: Seq[String] = Nil, eventTime: String = null): Dataset[T] =
      EventTimeOrders.order(ds, partitionBy, Option(eventTime))

    /**
     * Joins with another stream on columns of the same name, within a bound of their times.
     *
     * Each side drops late rows by its own watermark, and keeps rows until the other side's has
     * passed all that they could match. A row without a match leaves an outer join at that moment.
     * On batch data it is a plain join with the bound as a condition.
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
     *   the columns that are equal; they come out once
     * @param how
     *   a join type of Spark's `join`: `inner`, `leftOuter`, `rightOuter`, `fullOuter`, `leftSemi`
     * @param between
     *   the bound; null: by the columns that are equal, or by a filter after an inner join
     * @throws AnalysisException
     *   if a column does not exist, has the wrong type or no watermark key, if a duration cannot be
     *   read, if the lower bound is above the upper one, if both sides have the same key for
     *   different columns, or if there is no bound in both directions for another than an inner
     *   join
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
  }

  private def lagOrPolicy(lag: String, policy: PolicySpec): PolicySpec =
    (Option(lag), Option(policy)) match {
      case (Some(l), None) => fixedLag(l)
      case (None, Some(p)) => p
      case (None, None)    => throw PolicyErrors.lagOrPolicy("neither of them")
      case _               => throw PolicyErrors.lagOrPolicy("both of them")
    }
}
