package tidegate.bench;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * Counts the records of a topic by key and second, and writes each count to another topic when its
 * window closes. A record is {@code key,milliseconds}, a result {@code end of the window in
 * milliseconds,key,count}. Runs until it is killed.
 */
public final class FlinkLatency {

  private FlinkLatency() {}

  /** Takes the address of the broker, the topics of records and of results, and a folder. */
  public static void main(String[] arguments) throws Exception {
    String address = arguments[0];
    var settings = new Configuration();
    // The default of 200 ms would be most of the latency.
    settings.setString("pipeline.auto-watermark-interval", "10 ms");
    settings.setString("execution.checkpointing.interval", "1 s");
    settings.setString("execution.checkpointing.dir", "file://" + arguments[3]);
    // As a query of Spark flushes its sink in each batch, and does not wait for a buffer.
    settings.setString("execution.buffer-timeout.interval", "0 ms");
    var environment = StreamExecutionEnvironment.createLocalEnvironment(2, settings);
    var source =
        KafkaSource.<String>builder()
            .setBootstrapServers(address)
            .setTopics(arguments[1])
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();
    var sink =
        KafkaSink.<String>builder()
            .setBootstrapServers(address)
            .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
            .setRecordSerializer(
                KafkaRecordSerializationSchema.builder()
                    .setTopic(arguments[2])
                    .setValueSerializationSchema(new SimpleStringSchema())
                    .build())
            .build();
    var times =
        WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ZERO)
            .withTimestampAssigner((record, ignored) -> timeOf(record));
    environment
        .fromSource(source, times, "records")
        .keyBy(FlinkLatency::keyOf)
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
        .aggregate(new Count(), new Described())
        .sinkTo(sink);
    environment.execute();
  }

  private static String keyOf(String record) {
    return record.substring(0, record.indexOf(','));
  }

  private static long timeOf(String record) {
    return Long.parseLong(record.substring(record.indexOf(',') + 1));
  }

  /** Counts records. */
  private static final class Count implements AggregateFunction<String, Long, Long> {

    @Override
    public Long createAccumulator() {
      return 0L;
    }

    @Override
    public Long add(String record, Long count) {
      return count + 1;
    }

    @Override
    public Long getResult(Long count) {
      return count;
    }

    @Override
    public Long merge(Long a, Long b) {
      return a + b;
    }
  }

  /** Adds the end of the window and the key to a count. */
  private static final class Described
      extends ProcessWindowFunction<Long, String, String, TimeWindow> {

    @Override
    public void process(
        String key, Context context, Iterable<Long> counts, Collector<String> results) {
      results.collect(context.window().getEnd() + "," + key + "," + counts.iterator().next());
    }
  }
}
