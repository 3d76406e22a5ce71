package tidegate

import org.apache.spark.sql.Dataset
import tidegate.request.WatermarkArgument._
import tidegate.request.WatermarkRequest
import tidegate.settings.Defaults

/** The methods that give a Dataset a watermark; see [[KeyedTimeDataset]]. */
abstract class WatermarkMethods[T] private[tidegate] (ds: Dataset[T]) {

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
   *   how long a substream may be without events, and without unread backlog, before it is idle and
   *   left out of the minimum; null: never idle
   * @param emission
   *   which advances become visible; null: by the frames of the windows downstream, or by frames of
   *   1 second where there are no windows
   * @param name
   *   the name of the watermark, by which a restarted query finds its state; null: the name of the
   *   column
   * @param maxFutureSkew
   *   how far ahead of the wall clock an event may be: an event further ahead moves no watermark
   *   and is counted; null: no limit
   * @param flush
   *   whether event time ends together with a run with `Trigger.AvailableNow`: all windows close
   *   and all rows leave the state. Rows of a later run on the same checkpoint are late
   * @param idleBehind
   *   how long a substream may be without events before it is left out, if its watermark is behind
   *   the highest one: its next rows would be late. Below `idleTimeout` it has no effect; null: as
   *   long as `idleTimeout`
   * @param lateRows
   *   the name of a table, which the query makes, or a folder (with a slash), to which the rows
   *   that operators drop as late are written as Parquet files; null: late rows are only counted
   * @param allowedLateness
   *   how much longer than the watermark says aggregations by windows take rows, in output mode
   *   update: each late row in this time puts out a corrected row of its window; null: no longer
   * @throws AnalysisException
   *   if a column does not exist or has the wrong type, if the key is out of range or already used
   *   on this stream, if a duration cannot be read, or if the session does not have the extension
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
    WatermarkRequest(
      Lag(lag),
      Key(key),
      Policy(policy),
      Substream(substream),
      IdleTimeout(idleTimeout),
      Emission(emission),
      Name(name),
      MaxFutureSkew(maxFutureSkew),
      Flush(flush),
      IdleBehind(idleBehind),
      LateRows(lateRows),
      AllowedLateness(allowedLateness)
    ).on(ds, eventTime)

  /**
   * Gives the event time column a watermark that follows the append times of rows: the times at
   * which they were appended to their substreams. The source must record these times, as Kafka does
   * for topics with `message.timestamp.type=LogAppendTime`. On batch data the method has no effect.
   *
   * After a row that was appended at `t`, a substream has only rows that were appended at `t` or
   * later. So its watermark is `t` - 1 ms - `maxEventTimeLag`, and the watermark of the stream is
   * the minimum over all substreams. As long as event times are at most `maxEventTimeLag` older
   * than append times, no row is late. No substream needs to be idle: a substream that is read to
   * its end advances with the wall clock, `maxIdleLag` behind it.
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
   *   as of `withKeyedWatermark`, like `emission`, `name`, `flush`, `lateRows` and
   *   `allowedLateness`
   * @param maxFutureSkew
   *   how far ahead of the wall clock an append time may be; null: no limit
   * @param idleTimeout
   *   how long a substream may be without rows, and without unread backlog, before it is left out
   *   of the minimum; null: never. Rows of a substream that was left out may be late
   * @param idleBehind
   *   the same for a substream whose watermark is behind the highest one; null: as long as
   *   `idleTimeout`. Alone it also is the `idleTimeout`
   * @throws AnalysisException
   *   if a column does not exist or has the wrong type, if the key is out of range or already used
   *   on this stream, if a duration cannot be read, or if the session does not have the extension.
   *   A query fails if the broker did not set the timestamps of a topic's rows
   */
  def withIngestionWatermark(
      eventTime: String,
      maxEventTimeLag: String,
      ingestionTime: String = Defaults.IngestionTime,
      substream: Seq[String] = Nil,
      maxIdleLag: String = Defaults.MaxIdleLag,
      key: Int = 0,
      emission: EmissionSpec = null,
      name: String = null,
      flush: Boolean = false,
      maxFutureSkew: String = null,
      idleTimeout: String = null,
      idleBehind: String = null,
      lateRows: String = null,
      allowedLateness: String = null
  ): Dataset[T] =
    WatermarkRequest(
      MaxEventTimeLag(maxEventTimeLag),
      IngestionTime(ingestionTime),
      Substream(substream),
      MaxIdleLag(maxIdleLag),
      Key(key),
      Emission(emission),
      Name(name),
      Flush(flush),
      MaxFutureSkew(maxFutureSkew),
      IdleTimeout(idleTimeout),
      IdleBehind(idleBehind),
      LateRows(lateRows),
      AllowedLateness(allowedLateness)
    ).on(ds, eventTime)
}
