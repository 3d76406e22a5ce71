package tidegate.javaapi;

import java.time.Instant;
import java.util.Optional;

/**
 * A keyed watermark at the end of a batch.
 *
 * @param key its key, from 0 to 127
 * @param watermark rows below it are late; empty until there is one
 * @param lagMs how far it was behind the wall clock, in ms; empty without a watermark, and at the
 *     end of time
 * @param idle whether all of its substreams were idle
 * @param heldBackBy the substream that it waited for; empty if all were idle
 * @param heldBackSince the wall clock since when it was that substream, at the earliest the start of
 *     the query
 * @param heldBackMs how far that substream was behind the newest, in ms
 * @param activeSubstreams how many substreams counted
 * @param idleSubstreams how many substreams were left out
 * @param unreadSubstreams how many substreams had rows to be read, where the source tells
 * @param movedAt the wall clock when its time last moved, at the earliest the start of the query
 * @param futureEvents how many rows of the batch were further in the future than {@code
 *     maxFutureSkew}
 * @param futureEventsTotal the same, since the query was started
 */
public record WatermarkProgress(
    int key,
    Optional<Instant> watermark,
    Optional<Long> lagMs,
    boolean idle,
    Optional<String> heldBackBy,
    Optional<Instant> heldBackSince,
    long heldBackMs,
    int activeSubstreams,
    int idleSubstreams,
    int unreadSubstreams,
    Instant movedAt,
    long futureEvents,
    long futureEventsTotal) {

  static WatermarkProgress of(tidegate.WatermarkProgress progress) {
    return new WatermarkProgress(
        progress.key(),
        Converters.optional(progress.watermark()),
        Converters.optional(progress.lagMs(), Long.class),
        progress.idle(),
        Converters.optional(progress.heldBackBy()),
        Converters.optional(progress.heldBackSince()),
        progress.heldBackMs(),
        progress.activeSubstreams(),
        progress.idleSubstreams(),
        progress.unreadSubstreams(),
        progress.movedAt(),
        progress.futureEvents(),
        progress.futureEventsTotal());
  }
}
