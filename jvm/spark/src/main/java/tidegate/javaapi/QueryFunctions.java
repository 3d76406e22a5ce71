package tidegate.javaapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import tidegate.package$;

/** The functions for queries, which are called as methods of {@link Tidegate}. */
public abstract class QueryFunctions {

  QueryFunctions() {}

  /**
   * The watermarks of a query, running or ended, and of its stateful operators, by name; and what
   * holds each back.
   *
   * <pre>{@code
   * Tidegate.watermarks(query).watermarks().get("orders").watermark(); // Optional[...T11:51:05Z]
   * Tidegate.watermarks(query).operators().get("aggregate").lateRows(); // 2
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if the query has no keyed watermark, or ended before
   * Spark planned it.
   */
  public static QueryWatermarks watermarks(StreamingQuery query) {
    return QueryWatermarks.of(package$.MODULE$.watermarks(query));
  }

  /** What all batches that the driver remembers did to time, the oldest first. */
  public static List<BatchProgress> progress(StreamingQuery query) {
    return progress(query, Integer.MAX_VALUE);
  }

  /**
   * What the last batches of a query did to time, running or ended, the oldest first.
   *
   * <pre>{@code
   * Tidegate.progress(query, 1).get(0).watermarks().get("orders").lagMs(); // Optional[5250]
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if the query has no keyed watermark, or ended before
   * Spark planned it.
   *
   * @param last of so many batches at most. The driver remembers the last 1,000 of this run, or as
   *     many as {@code spark.tidegate.progress.batches} says
   */
  public static List<BatchProgress> progress(StreamingQuery query, int last) {
    return Converters.list(package$.MODULE$.progress(query, last), BatchProgress::of);
  }

  /**
   * What a batch did to time, from the progress that Spark tells listeners; empty for a query
   * without keyed watermarks, and for a trigger without a batch.
   */
  public static Optional<BatchProgress> progressOf(StreamingQueryProgress progress) {
    return Converters.optional(package$.MODULE$.progressOf(progress)).map(BatchProgress::of);
  }

  /**
   * Prints in plain sentences how far the time of a query is, what holds what back, since when, and
   * what would help.
   *
   * <p>Throws an {@code AnalysisException} if the query has no keyed watermark, or ended before
   * Spark planned it.
   */
  public static void explainTime(StreamingQuery query) {
    package$.MODULE$.explainTime(query);
  }

  /** What {@code explainTime} prints. */
  public static String timeExplanation(StreamingQuery query) {
    return package$.MODULE$.timeExplanation(query);
  }

  /** As the other {@code adopt}, in output mode append. */
  public static Optional<Instant> adopt(String checkpoint, Dataset<Row> query) {
    return adopt(checkpoint, query, OutputMode.Append());
  }

  /**
   * Lets a query with keyed watermarks continue from a checkpoint that was made without Tidegate:
   * the watermarks begin where Spark's was, and the state stays where it is.
   *
   * <p>Throws an {@code AnalysisException} if there is no checkpoint, if it has other sources or
   * keyed watermarks already, or if its query is running.
   *
   * @param checkpoint the {@code checkpointLocation} of the query, which must not run
   * @param query the query, with {@code withKeyedWatermark}; or with {@code withWatermark}, if
   *     {@code spark.tidegate.replaceWithWatermark} is set
   * @param outputMode the output mode of the query
   * @return the watermark from which the query continues; empty if Spark had none yet
   */
  public static Optional<Instant> adopt(
      String checkpoint, Dataset<Row> query, OutputMode outputMode) {
    return Converters.optional(package$.MODULE$.adopt(checkpoint, query, outputMode));
  }

  /**
   * As the other {@code adopt}, with the plan and the output mode of a query that was stopped, for
   * instance of the job that made the checkpoint.
   *
   * <p>Throws an {@code AnalysisException} also if the query is running, or ran with keyed
   * watermarks.
   *
   * @param checkpoint the {@code checkpointLocation} of the query, which must not run
   * @param query a query with {@code withWatermark} that does not run, if {@code
   *     spark.tidegate.replaceWithWatermark} is set
   * @return the watermark from which the query continues; empty if Spark had none yet
   */
  public static Optional<Instant> adopt(String checkpoint, StreamingQuery query) {
    return Converters.optional(package$.MODULE$.adopt(checkpoint, query));
  }

  /**
   * The way back: lets a query without Tidegate continue from the checkpoint of a query with keyed
   * watermarks, from the lowest of them.
   *
   * <p>Throws an {@code AnalysisException} if there is no checkpoint of a keyed query, if some
   * state is not Spark's, if operators have names, or if the query is running.
   *
   * @param checkpoint the {@code checkpointLocation} of the query, which must not run
   * @return the watermark from which the query continues; empty if there was none yet
   */
  public static Optional<Instant> release(String checkpoint) {
    return Converters.optional(package$.MODULE$.release(checkpoint));
  }
}
