package tidegate.javaapi;

import java.time.Duration;
import tidegate.core.policy.EmissionSpec;
import tidegate.core.policy.PolicySpec;

/**
 * The watermark policies and emissions.
 *
 * <p>A <i>policy</i> says how far the watermark of a substream follows the times seen on it and the
 * wall clock. An <i>emission</i> says which advances of that watermark become visible. Each method
 * takes durations or Spark interval texts, and throws an {@code AnalysisException} that names the
 * argument if a duration cannot be read or is too small.
 *
 * <pre>{@code
 * KeyedWatermarkOptions.policy(Policies.limitingLagAndLull("5 seconds", "1 minute"))
 *     .emission(Policies.byFrame("10 seconds"));
 * }</pre>
 */
public final class Policies {

  private Policies() {}

  /**
   * Keeps the watermark {@code lag} behind the highest event time seen.
   *
   * @param lag event time, 0 or more, by which a row may trail the newest row of its substream
   */
  public static PolicySpec fixedLag(String lag) {
    return policy("fixedLag", lag);
  }

  /** As {@link #fixedLag(String)}. */
  public static PolicySpec fixedLag(Duration lag) {
    return fixedLag(Converters.text(lag));
  }

  /**
   * As {@link #fixedLag(String)}, but the watermark reaches every event time within {@code
   * maxDelay} after that time was seen.
   *
   * @param lag event time, 0 or more, by which the watermark trails the highest event time seen
   * @param maxDelay wall-clock time, 0 or more, within which the watermark reaches an event time
   *     that was seen, even if no newer row follows
   */
  public static PolicySpec limitingLagAndDelay(String lag, String maxDelay) {
    return policy("limitingLagAndDelay", lag, maxDelay);
  }

  /** As {@link #limitingLagAndDelay(String, String)}. */
  public static PolicySpec limitingLagAndDelay(Duration lag, Duration maxDelay) {
    return limitingLagAndDelay(Converters.text(lag), Converters.text(maxDelay));
  }

  /**
   * As {@link #fixedLag(String)}, but keeps time moving when no row has arrived for {@code
   * maxLull}: the watermark then advances at the speed of the wall clock, until the next row.
   *
   * @param lag event time, 0 or more, by which the watermark trails the highest event time seen
   * @param maxLull wall-clock time without a row, 0 or more, after which the watermark moves by
   *     itself
   */
  public static PolicySpec limitingLagAndLull(String lag, String maxLull) {
    return policy("limitingLagAndLull", lag, maxLull);
  }

  /** As {@link #limitingLagAndLull(String, String)}. */
  public static PolicySpec limitingLagAndLull(Duration lag, Duration maxLull) {
    return limitingLagAndLull(Converters.text(lag), Converters.text(maxLull));
  }

  /**
   * Takes the later of two times: one trails the highest event time, the other the wall clock.
   *
   * @param timestampLag event time, 0 or more, by which the watermark trails the highest event time
   * @param wallClockLag the most by which the watermark trails the wall clock, 0 or more
   */
  public static PolicySpec limitingTimestampAndWallClockLag(
      String timestampLag, String wallClockLag) {
    return policy("limitingTimestampAndWallClockLag", timestampLag, wallClockLag);
  }

  /** As {@link #limitingTimestampAndWallClockLag(String, String)}. */
  public static PolicySpec limitingTimestampAndWallClockLag(
      Duration timestampLag, Duration wallClockLag) {
    return limitingTimestampAndWallClockLag(Converters.text(timestampLag), Converters.text(wallClockLag));
  }

  /**
   * Shows the watermark when it enters a new frame of event time.
   *
   * @param size the length of the frames, at least 1 ms. A frame is {@code [n * size, (n + 1) *
   *     size)}
   */
  public static EmissionSpec byFrame(String size) {
    return emission("byFrame", size);
  }

  /** As {@link #byFrame(String)}. */
  public static EmissionSpec byFrame(Duration size) {
    return byFrame(Converters.text(size));
  }

  /**
   * As {@link #byFrame(String)}, with frames that are shifted.
   *
   * @param offset by how much the frames are shifted, negative to shift them back
   */
  public static EmissionSpec byFrame(String size, String offset) {
    return emission("byFrame", size, offset);
  }

  /** As {@link #byFrame(String, String)}. */
  public static EmissionSpec byFrame(Duration size, Duration offset) {
    return byFrame(Converters.text(size), Converters.text(offset));
  }

  /**
   * Shows the watermark when it is at least {@code step} ahead of the value shown last.
   *
   * @param step the smallest advance that becomes visible, at least 1 ms
   */
  public static EmissionSpec byMinStep(String step) {
    return emission("byMinStep", step);
  }

  /** As {@link #byMinStep(String)}. */
  public static EmissionSpec byMinStep(Duration step) {
    return byMinStep(Converters.text(step));
  }

  private static PolicySpec policy(String name, String... durations) {
    return tidegate.request.Policies.policy(name, Converters.seq(durations));
  }

  private static EmissionSpec emission(String name, String... durations) {
    return tidegate.request.Policies.emission(name, Converters.seq(durations));
  }
}
