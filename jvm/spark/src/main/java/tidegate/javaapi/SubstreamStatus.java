package tidegate.javaapi;

import java.time.Instant;
import java.util.Optional;

/**
 * A substream of a keyed watermark.
 *
 * @param watermark its own watermark, in whole milliseconds; empty until there is one
 * @param idle whether it is left out of the minimum
 */
public record SubstreamStatus(Optional<Instant> watermark, boolean idle) {

  static SubstreamStatus of(tidegate.SubstreamStatus status) {
    return new SubstreamStatus(Converters.optional(status.watermark()), status.idle());
  }
}
