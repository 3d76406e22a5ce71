package tidegate.javaapi;

import java.time.Duration;
import tidegate.request.WatermarkArgument;
import tidegate.request.WatermarkRequest;
import tidegate.settings.Defaults;

/**
 * The arguments of {@link Tidegate#withIngestionWatermark}, beside the column. Each method returns
 * a changed copy.
 *
 * <pre>{@code
 * IngestionWatermarkOptions.maxEventTimeLag("1 minute").substream("topic", "partition");
 * }</pre>
 */
public final class IngestionWatermarkOptions extends WatermarkOptions<IngestionWatermarkOptions> {

  private IngestionWatermarkOptions(WatermarkRequest request) {
    super(request);
  }

  @Override
  IngestionWatermarkOptions of(WatermarkRequest changed) {
    return new IngestionWatermarkOptions(changed);
  }

  /** How much older than the append time of its row an event time may be, 0 or more. */
  public static IngestionWatermarkOptions maxEventTimeLag(String maxEventTimeLag) {
    return new IngestionWatermarkOptions(
        WatermarkRequest.none()
            .set(WatermarkArgument.MaxEventTimeLag(), maxEventTimeLag)
            .set(WatermarkArgument.MaxIdleLag(), Defaults.MaxIdleLag())
            .set(WatermarkArgument.IngestionTime(), Defaults.IngestionTime()));
  }

  /** As {@link #maxEventTimeLag(String)}. */
  public static IngestionWatermarkOptions maxEventTimeLag(Duration maxEventTimeLag) {
    return maxEventTimeLag(Converters.text(maxEventTimeLag));
  }

  /** The column with the append times; by default {@code timestamp}, as in Kafka's source. */
  public IngestionWatermarkOptions ingestionTime(String column) {
    return with(WatermarkArgument.IngestionTime(), column);
  }

  /**
   * How far a substream that is read to its end stays behind the wall clock, 0 or more; by default
   * 10 seconds.
   */
  public IngestionWatermarkOptions maxIdleLag(String maxIdleLag) {
    return with(WatermarkArgument.MaxIdleLag(), maxIdleLag);
  }

  /** As {@link #maxIdleLag(String)}. */
  public IngestionWatermarkOptions maxIdleLag(Duration maxIdleLag) {
    return maxIdleLag(Converters.text(maxIdleLag));
  }
}
