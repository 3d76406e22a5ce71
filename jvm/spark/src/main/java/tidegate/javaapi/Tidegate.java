package tidegate.javaapi;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.types.StructType;
import tidegate.KeyedTimeDataset;
import tidegate.builders.AsyncMaps;
import tidegate.builders.Between;
import tidegate.builders.TopN;
import tidegate.package$;

/**
 * Keyed event time for Spark Structured Streaming: the methods that Scala adds to every Dataset,
 * and the functions for queries. The session needs the extension {@code
 * tidegate.TidegateExtensions}.
 */
public final class Tidegate {

  private Tidegate() {}

  /**
   * Gives the event time column a watermark of its own: the minimum over the substreams that are
   * not idle. On batch data the method has no effect.
   *
   * <pre>{@code
   * Tidegate.withKeyedWatermark(orders, "order_time",
   *     KeyedWatermarkOptions.lag(Duration.ofSeconds(5)).substream("topic", "partition"));
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if a column does not exist or has the wrong type, if the
   * key is out of range or already used on this stream, if a duration cannot be read, or if the
   * session does not have the extension.
   *
   * @param eventTime a {@code TIMESTAMP} or {@code TIMESTAMP_NTZ} column
   */
  public static <T> Dataset<T> withKeyedWatermark(
      Dataset<T> ds, String eventTime, KeyedWatermarkOptions options) {
    return options.request.on(ds, eventTime);
  }

  /** As the method with options, with a lag such as {@code "5 seconds"} and all defaults. */
  public static <T> Dataset<T> withKeyedWatermark(Dataset<T> ds, String eventTime, String lag) {
    return withKeyedWatermark(ds, eventTime, KeyedWatermarkOptions.lag(lag));
  }

  /** As the method with options, with a lag and all defaults. */
  public static <T> Dataset<T> withKeyedWatermark(Dataset<T> ds, String eventTime, Duration lag) {
    return withKeyedWatermark(ds, eventTime, KeyedWatermarkOptions.lag(lag));
  }

  /**
   * Gives the event time column a watermark that follows the append times of rows, which the source
   * must record, as Kafka does for topics with {@code message.timestamp.type=LogAppendTime}. Apart
   * from that as {@link #withKeyedWatermark}. A query fails if the broker did not set the timestamps
   * of a topic's rows.
   */
  public static <T> Dataset<T> withIngestionWatermark(
      Dataset<T> ds, String eventTime, IngestionWatermarkOptions options) {
    return options.request.on(ds, eventTime);
  }

  /**
   * Emits the rows of a stream in the order of their event time: a row waits until the watermark
   * passes it. Late rows are dropped and counted. Batch data is sorted by the time.
   *
   * <pre>{@code
   * Tidegate.orderByEventTime(readings, "sensor");
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if a column does not exist or has the wrong type, if the
   * stream has no keyed watermark or more than one to choose from, or if the session does not have
   * the extension; when the query starts, if its output mode is not append.
   *
   * @param partitionBy rows with equal values in these columns are in order; none: all rows are in
   *     order, by a single task
   */
  public static <T> Dataset<T> orderByEventTime(Dataset<T> ds, String... partitionBy) {
    return orderByEventTime(ds, Arrays.asList(partitionBy), null);
  }

  /**
   * As the other {@code orderByEventTime}.
   *
   * @param eventTime the column to order by; null: the only column with a keyed watermark, or on
   *     batch data the only column of type {@code TIMESTAMP} or {@code TIMESTAMP_NTZ}
   */
  public static <T> Dataset<T> orderByEventTime(
      Dataset<T> ds, List<String> partitionBy, String eventTime) {
    return new KeyedTimeDataset<>(ds).orderByEventTime(Converters.seq(partitionBy), eventTime);
  }

  /**
   * Keeps the first rows of each group, with their places in a new column {@code rank}: 1 is the
   * first. With the window of a window function among the groups the rows leave once, when the
   * watermark closes the window. On batch data it is Spark's {@code row_number}.
   *
   * <pre>{@code
   * Tidegate.topN(hours, 3, List.of("window", "shop"), List.of(col("price").desc()));
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if a column does not exist, if {@code n} is below 1, if
   * there are no columns, or if the Dataset has a column {@code rank}; when the query starts, if no
   * time with a watermark is among the groups in output mode append.
   *
   * @param n how many rows of each group are kept, 1 or more
   * @param partitionBy the columns of a group
   * @param orderBy which rows come first
   */
  public static Dataset<Row> topN(
      Dataset<?> ds, int n, List<String> partitionBy, List<Column> orderBy) {
    return topN(ds, n, partitionBy, orderBy, "rank");
  }

  /**
   * As the other {@code topN}.
   *
   * @param rank the name of the new column with the place of a row
   */
  public static Dataset<Row> topN(
      Dataset<?> ds, int n, List<String> partitionBy, List<Column> orderBy, String rank) {
    return TopN.of(ds, n, Converters.seq(partitionBy), Converters.seq(orderBy), rank);
  }

  /**
   * Joins two streams on columns of the same name, within a bound on the times of both sides. Each
   * side drops late rows by its own watermark, and keeps a row until no match can come any more. On
   * batch data the result is a plain join with the bound as a condition.
   *
   * <pre>{@code
   * Tidegate.streamJoin(orders, deliveries, List.of("order_id"), "leftOuter",
   *     Tidegate.between("delivery_time", "order_time", Duration.ZERO, Duration.ofMinutes(10)));
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if a column is not usable or has no watermark key, if
   * both sides have one key for different columns, or if a join other than an inner join lacks a
   * bound in one of the two directions.
   *
   * @param on the columns that must be equal; the result has each of them once
   * @param how a join type of Spark's {@code join}: {@code inner}, {@code leftOuter}, {@code
   *     rightOuter}, {@code fullOuter} or {@code leftSemi}
   * @param between the bound; null: the equal columns give it, or a filter after an inner join
   */
  public static Dataset<Row> streamJoin(
      Dataset<?> left, Dataset<?> right, List<String> on, String how, Between between) {
    return new KeyedTimeDataset<>(left).streamJoin(right, Converters.seq(on), how, between);
  }

  /** Joins on one column that both sides have; see the {@code streamJoin} on a list of them. */
  public static Dataset<Row> streamJoin(
      Dataset<?> left, Dataset<?> right, String on, String how, Between between) {
    return streamJoin(left, right, List.of(on), how, between);
  }

  /** Joins on a condition; see the {@code streamJoin} on a list of columns. */
  public static Dataset<Row> streamJoin(
      Dataset<?> left, Dataset<?> right, Column on, String how, Between between) {
    return new KeyedTimeDataset<>(left).streamJoin(right, on, how, between);
  }

  /**
   * Joins each row with the version of its key as of the time of the row: the newest row of {@code
   * right} with the same key whose time is at or before that of the row. Each row of a stream leaves
   * once, when the watermark of {@code right} has passed its time. On batch data the rows are the
   * same.
   *
   * <pre>{@code
   * Tidegate.asOfJoin(orders, rates, List.of("currency"), "left");
   * }</pre>
   *
   * <p>The time of each side is its only time column with a watermark, or in a table its only time
   * column.
   *
   * <p>Throws an {@code AnalysisException} if a column is not usable or has no watermark, or if the
   * type of join is another.
   *
   * @param on the columns of the key, which the result has once
   * @param how {@code inner}: rows without a version are dropped; {@code left}: they have nulls
   */
  public static Dataset<Row> asOfJoin(
      Dataset<?> left, Dataset<?> right, List<String> on, String how) {
    return asOfJoin(left, right, on, how, null, null, null);
  }

  /**
   * As the other {@code asOfJoin}.
   *
   * @param leftTime the time of the rows; null: the only one
   * @param rightTime from when on a version is valid; null: the only one
   * @param tolerance how much older than the row its version may be; null: any age
   */
  public static Dataset<Row> asOfJoin(
      Dataset<?> left,
      Dataset<?> right,
      List<String> on,
      String how,
      String leftTime,
      String rightTime,
      Duration tolerance) {
    return new KeyedTimeDataset<>(left)
        .asOfJoin(right, Converters.seq(on), leftTime, rightTime, how, text(tolerance));
  }

  /** Joins on one column that both sides have; see the {@code asOfJoin} on a list of them. */
  public static Dataset<Row> asOfJoin(
      Dataset<?> left, Dataset<?> right, String on, String how) {
    return asOfJoin(left, right, List.of(on), how);
  }

  /**
   * Joins on a condition, which has an equality of a column of each side; the rest is asked of a
   * row and its version. See the {@code asOfJoin} on a list of columns.
   */
  public static Dataset<Row> asOfJoin(
      Dataset<?> left,
      Dataset<?> right,
      Column on,
      String how,
      String leftTime,
      String rightTime,
      Duration tolerance) {
    return new KeyedTimeDataset<>(left)
        .asOfJoin(right, on, leftTime, rightTime, how, text(tolerance));
  }

  private static String text(Duration tolerance) {
    return tolerance == null ? null : Converters.text(tolerance);
  }

  /**
   * The bound of a stream join: {@code base + lower <= time <= base + upper}.
   *
   * @param time a time column of one side, the right one if both have it
   * @param base a time column of the other side
   * @param lower a duration in whole milliseconds, which may be negative
   * @param upper a duration in whole milliseconds, not below {@code lower}
   */
  public static Between between(String time, String base, Duration lower, Duration upper) {
    return between(time, base, Converters.text(lower), Converters.text(upper));
  }

  /** The same with Spark interval texts, such as {@code "10 minutes"}. */
  public static Between between(String time, String base, String lower, String upper) {
    return new Between(time, base, lower, upper);
  }

  /** As the other {@code mapAsync}, with the defaults of all options. */
  public static Dataset<Row> mapAsync(Dataset<?> ds, StructType schema, AsyncCall call) {
    return mapAsync(ds, schema, AsyncOptions.defaults(), call);
  }

  /**
   * Calls a function with each row, many calls at a time in each task.
   *
   * <p>A column of the result with the name and type of a column that has a keyed watermark keeps
   * the watermark. A batch of a stream ends when all its calls have ended, so time never overtakes
   * a row. A batch that is run again, after a failure or a restart, calls again.
   *
   * <pre>{@code
   * Tidegate.mapAsync(orders, StructType.fromDDL("id long, price double"),
   *     AsyncOptions.defaults().maxInFlight(200),
   *     (row, key) -> client.price(row.getLong(0))
   *         .thenApply(price -> RowFactory.create(row.getLong(0), price)));
   * }</pre>
   *
   * <p>Throws an {@code AnalysisException} if an option is not usable, if the schema has a column
   * twice, or if the session does not have the extension; a query fails if a call fails for good.
   *
   * @param schema the columns of the result. All are nullable; null in a column that the schema
   *     declares NOT NULL fails the query
   * @param call begins a call for a row, and returns its answer to come
   */
  public static Dataset<Row> mapAsync(
      Dataset<?> ds, StructType schema, AsyncOptions options, AsyncCall call) {
    String name = options.name == null ? AsyncMaps.nameOf(call) : options.name;
    return new KeyedTimeDataset<>(ds)
        .mapAsyncWith(schema, options.ordered, options.maxInFlight, options.timeout,
            options.retries, options.onError, options.deadLetters, options.breakAfter, name,
            new ScalaCall(call));
  }

  /**
   * Names the stateful operator that makes a stream, such as its windows or its join. A restarted
   * query finds the state of the operator by its name. On batch data the name has no effect.
   *
   * <p>Throws an {@code AnalysisException} if the name is not a word, or is a name that Tidegate
   * gives, such as {@code aggregate-2}; when the query starts, if not exactly one operator has it.
   *
   * @param name a word of letters, digits, {@code _} and {@code -} that does not begin with a digit
   *     or {@code -}
   */
  public static <T> Dataset<T> tidegateName(Dataset<T> ds, String name) {
    return new KeyedTimeDataset<>(ds).tidegateName(name);
  }

  /**
   * The watermarks of a query, running or ended, and of its stateful operators, by name; and what
   * holds each back.
   *
   * <pre>{@code
   * Tidegate.watermarks(query).operators().get("aggregate").lateRows(); // 2
   * }</pre>
   *
   * <p>This method and those below throw an {@code AnalysisException} if the query has no keyed
   * watermark, or ended before Spark planned it.
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
   * Prints and returns in plain sentences how far the time of a query is, what holds what back,
   * since when, and what would help.
   */
  public static String explainTime(StreamingQuery query) {
    return package$.MODULE$.explainTime(query);
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
   * instance of the job that made the checkpoint. Refuses a query that ran with keyed watermarks.
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
   * @return the watermark from which the query continues; empty if there was none yet
   */
  public static Optional<Instant> release(String checkpoint) {
    return Converters.optional(package$.MODULE$.release(checkpoint));
  }
}
