package tidegate.javaapi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import tidegate.core.policy.EmissionSpec;
import tidegate.settings.Defaults;

/**
 * The arguments of {@link Tidegate#withIngestionWatermark}, beside the column. Each method returns
 * a changed copy.
 *
 * <pre>{@code
 * IngestionWatermarkOptions.maxEventTimeLag("1 minute").substream("topic", "partition");
 * }</pre>
 */
public final class IngestionWatermarkOptions implements Cloneable {

  final String maxEventTimeLag;
  String ingestionTime = "timestamp";
  List<String> substream = List.of();
  String maxIdleLag = Defaults.MaxIdleLag();
  int key = 0;
  EmissionSpec emission;
  String name;
  boolean flush;

  private IngestionWatermarkOptions(String maxEventTimeLag) {
    this.maxEventTimeLag = maxEventTimeLag;
  }

  /** How much older than the append time of its row an event time may be, 0 or more. */
  public static IngestionWatermarkOptions maxEventTimeLag(String maxEventTimeLag) {
    return new IngestionWatermarkOptions(maxEventTimeLag);
  }

  /** As {@link #maxEventTimeLag(String)}. */
  public static IngestionWatermarkOptions maxEventTimeLag(Duration maxEventTimeLag) {
    return maxEventTimeLag(Texts.of(maxEventTimeLag));
  }

  /** The column with the append times; by default {@code timestamp}, as in Kafka's source. */
  public IngestionWatermarkOptions ingestionTime(String column) {
    return with(o -> o.ingestionTime = column);
  }

  /**
   * The columns whose values name a substream, in which append times ascend; none, the default: the
   * stream is one substream.
   */
  public IngestionWatermarkOptions substream(String... columns) {
    return with(o -> o.substream = Arrays.asList(columns.clone()));
  }

  /** As {@link #substream(String...)}. */
  public IngestionWatermarkOptions substream(List<String> columns) {
    return with(o -> o.substream = new ArrayList<>(columns));
  }

  /**
   * How far a substream that is read to its end stays behind the wall clock, 0 or more; by default
   * 10 seconds.
   */
  public IngestionWatermarkOptions maxIdleLag(String maxIdleLag) {
    return with(o -> o.maxIdleLag = maxIdleLag);
  }

  /** As {@link #maxIdleLag(String)}. */
  public IngestionWatermarkOptions maxIdleLag(Duration maxIdleLag) {
    return maxIdleLag(Texts.of(maxIdleLag));
  }

  /** As {@link KeyedWatermarkOptions#key}. */
  public IngestionWatermarkOptions key(int key) {
    return with(o -> o.key = key);
  }

  /** As {@link KeyedWatermarkOptions#emission}. */
  public IngestionWatermarkOptions emission(EmissionSpec emission) {
    return with(o -> o.emission = emission);
  }

  /** As {@link KeyedWatermarkOptions#name}. */
  public IngestionWatermarkOptions name(String name) {
    return with(o -> o.name = name);
  }

  /** As {@link KeyedWatermarkOptions#flush}. */
  public IngestionWatermarkOptions flush(boolean flush) {
    return with(o -> o.flush = flush);
  }

  private IngestionWatermarkOptions with(Consumer<IngestionWatermarkOptions> change) {
    try {
      IngestionWatermarkOptions copy = (IngestionWatermarkOptions) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
