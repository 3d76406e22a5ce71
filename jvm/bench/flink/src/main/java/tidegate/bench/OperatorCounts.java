package tidegate.bench;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * The numbers of rows that the operators of jobs in this process took in.
 *
 * <p>Flink counts these rows anyway, so that a job need not do more for them. They stay known after
 * a job has ended, until {@link #forget()}.
 */
public final class OperatorCounts implements MetricReporter, MetricReporterFactory {
  private static final Map<String, List<Counter>> COUNTERS = new ConcurrentHashMap<>();

  /** Makes a cluster with this configuration count. */
  static void configure(Configuration cluster) {
    cluster.setString("metrics.reporter.counts.factory.class", OperatorCounts.class.getName());
  }

  /** To be called before a job starts. */
  static void forget() {
    COUNTERS.clear();
  }

  /** The rows that the sources have passed on. */
  static long read() {
    return of("Source: ");
  }

  /** The rows that have come to the sink. */
  static long written() {
    return of(": Writer");
  }

  private static long of(String name) {
    return COUNTERS.entrySet().stream()
        .filter(operator -> operator.getKey().contains(name))
        .flatMap(operator -> operator.getValue().stream())
        .mapToLong(Counter::getCount)
        .sum();
  }

  @Override
  public MetricReporter createMetricReporter(Properties properties) {
    return this;
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    String operator = group.getAllVariables().get("<operator_name>");
    if (name.equals("numRecordsIn") && operator != null && metric instanceof Counter counter) {
      COUNTERS.computeIfAbsent(operator, o -> new CopyOnWriteArrayList<>()).add(counter);
    }
  }

  /** A counter outlives its operator: the rows of a job are read when it has ended. */
  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}
}
