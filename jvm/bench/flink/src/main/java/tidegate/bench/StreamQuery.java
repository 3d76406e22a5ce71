package tidegate.bench;

import java.time.Duration;
import java.util.List;
import org.apache.flink.table.api.TableConfig;

/** The queries of the benchmarks, as a user of Flink writes them. */
enum StreamQuery {
  TUMBLING(counted("TUMBLE(TABLE bids, DESCRIPTOR(rt), INTERVAL '1' HOUR)"), Stream.bids()),
  HOP(
      counted("HOP(TABLE bids, DESCRIPTOR(rt), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)"),
      Stream.bids()),
  SESSION(
      counted("SESSION(TABLE bids PARTITION BY key, DESCRIPTOR(rt), INTERVAL '30' MINUTE)"),
      Stream.bids()),
  JOIN(
      joined("key", "INTERVAL '1' HOUR"),
      new Stream("orders", "ts", "key", false),
      new Stream("deliveries", "ts", "key", false)),
  /**
   * The watermark removes nothing from this state. So users set a time after which Flink may forget
   * a key, which no run of a benchmark reaches.
   */
  DEDUP(
      "SELECT CAST(rt AS TIMESTAMP_LTZ(3)), key, price FROM"
          + " (SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY rt) AS n FROM bids)"
          + " WHERE n = 1",
      Stream.bids()) {
    @Override
    void configure(TableConfig config) {
      config.setIdleStateRetention(Duration.ofHours(1));
    }
  },
  /** Orders and their deliveries within ten seconds. */
  DELIVERED(
      joined("id", "INTERVAL '10' SECOND"),
      new Stream("orders", "time", "id", false),
      new Stream("deliveries", "time", "id", false));

  /** A stream of the query; its folder has these columns, the time in milliseconds. */
  record Stream(String name, String time, String key, boolean priced) {

    static Stream bids() {
      return new Stream("bids", "ts", "key", true);
    }
  }

  /** Over tables with the names of {@link #streams}, whose watermarks are on {@code rt}. */
  final String sql;

  final List<Stream> streams;

  StreamQuery(String sql, Stream... streams) {
    this.sql = sql;
    this.streams = List.of(streams);
  }

  /** Sets what the query needs beside its text. */
  void configure(TableConfig config) {}

  private static String counted(String windows) {
    return "SELECT window_start, window_end, key, COUNT(*), SUM(price) FROM TABLE("
        + windows
        + ") GROUP BY window_start, window_end, key";
  }

  /** A result may have one event time only, and needs none, so that its times are cast. */
  private static String joined(String key, String range) {
    String times = "CAST(o.rt AS TIMESTAMP_LTZ(3)), CAST(d.rt AS TIMESTAMP_LTZ(3))";
    String within = "d.rt BETWEEN o.rt AND o.rt + " + range;
    return "SELECT o.%1$s, %2$s FROM orders o JOIN deliveries d ON o.%1$s = d.%1$s AND %3$s"
        .formatted(key, times, within);
  }
}
