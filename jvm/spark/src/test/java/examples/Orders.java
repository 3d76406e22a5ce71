package examples;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.window;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import tidegate.javaapi.KeyedWatermarkOptions;
import tidegate.javaapi.QueryWatermarks;
import tidegate.javaapi.Tidegate;

/** Orders and deliveries from files of JSON: counted in windows, and joined. */
public final class Orders {

  private final SparkSession spark;
  private final String folder;

  /** The folder has the folders {@code orders} and {@code deliveries}. */
  public Orders(SparkSession spark, String folder) {
    this.spark = spark;
    this.folder = folder;
  }

  private Dataset<Row> orders() {
    Dataset<Row> stream =
        read("orders", "order_id long, order_time timestamp, topic string, partition int");
    Dataset<Row> orders =
        Tidegate.withKeyedWatermark(
            stream,
            "order_time",
            KeyedWatermarkOptions.lag("5 seconds").substream("topic", "partition").name("orders"));
    return orders;
  }

  private Dataset<Row> deliveries() {
    Dataset<Row> delivered = read("deliveries", "order_id long, delivery_time timestamp");
    Dataset<Row> deliveries =
        Tidegate.withKeyedWatermark(
            delivered,
            "delivery_time",
            KeyedWatermarkOptions.lag(Duration.ofMinutes(1)).key(1).name("deliveries"));
    return deliveries;
  }

  private Dataset<Row> read(String name, String schema) {
    return spark.readStream().schema(schema).json(folder + "/" + name);
  }

  /** The number of orders in each minute. */
  public Dataset<Row> counts() {
    Dataset<Row> orders = orders();
    Dataset<Row> counts = orders.groupBy(window(col("order_time"), "1 minute")).count();
    return counts.select("window.start", "count");
  }

  /** Orders with their deliveries, or with nulls as soon as no delivery can come any more. */
  public Dataset<Row> joined() {
    Dataset<Row> orders = orders();
    Dataset<Row> deliveries = deliveries();
    Dataset<Row> joined =
        Tidegate.streamJoin(
            orders,
            deliveries,
            "order_id",
            "leftOuter",
            Tidegate.between("delivery_time", "order_time", Duration.ZERO, Duration.ofMinutes(10)));
    return joined.select("order_id", "delivery_time");
  }

  /** Starts a query whose rows are in a table, and waits until it has read everything. */
  public StreamingQuery run(Dataset<Row> result, String table) throws TimeoutException {
    StreamingQuery query = result.writeStream().format("memory").queryName(table).start();
    query.processAllAvailable();
    return query;
  }

  /** Up to when all orders are expected to have arrived. */
  public Optional<Instant> completeUntil(StreamingQuery query) {
    Optional<Instant> complete = Tidegate.watermarks(query).watermarks().get("orders").watermark();
    return complete;
  }

  /** What an order without a delivery waits for. */
  public Optional<String> waitsFor(StreamingQuery query) {
    QueryWatermarks now = Tidegate.watermarks(query);
    return now.operators().get("join.left").evictionHeldBackBy();
  }
}
