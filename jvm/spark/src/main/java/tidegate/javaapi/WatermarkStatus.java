package tidegate.javaapi;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A keyed watermark of a query.
 *
 * @param key its key, from 0 to 127
 * @param watermark the time up to which all rows are expected to have arrived, in whole
 *     milliseconds; empty until there is one
 * @param idle whether all of its substreams are idle
 * @param eventTime the name of the event time column
 * @param heldBackBy the substream furthest behind, which the watermark waits for; empty if all are
 *     idle
 * @param futureEvents how many rows since the start of the query were further ahead of the wall
 *     clock than {@code maxFutureSkew}
 * @param substreams the substreams by name: the values of their columns, joined by {@code /}
 */
public record WatermarkStatus(
    int key,
    Optional<Instant> watermark,
    boolean idle,
    String eventTime,
    Optional<String> heldBackBy,
    long futureEvents,
    Map<String, SubstreamStatus> substreams) {

  static WatermarkStatus of(tidegate.WatermarkStatus status) {
    return new WatermarkStatus(
        status.key(),
        Converters.optional(status.watermark()),
        status.idle(),
        status.eventTime(),
        Converters.optional(status.heldBackBy()),
        status.futureEvents(),
        Converters.map(status.substreams(), SubstreamStatus::of));
  }
}
