import java.time.Instant

import scala.language.implicitConversions

import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{DataFrame, Dataset, SparkSession}
import tidegate.clock.KnownQueries
import tidegate.core.figures.Explanation
import tidegate.preparation.AdoptedCheckpoint
import tidegate.request.Policies

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
   * Prints and returns in plain sentences how far the time of a query is, what holds what back,
   * since when, and what would help.
   *
   * @throws AnalysisException
   *   if the query has no keyed watermark, or ended before Spark planned it
   */
  def explainTime(query: StreamingQuery): String = {
    val sentences = Explanation.of(KnownQueries.of(query))
    println(sentences)
    sentences
  }

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
  implicit def KeyedTimeDataset[T](ds: Dataset[T]): KeyedTimeDataset[T] = new KeyedTimeDataset(ds)
}
