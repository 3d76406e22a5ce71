package tidegate.javaapi;

import java.math.BigDecimal;
import java.time.Duration;

/** Durations as the texts that the builders read. */
final class Texts {

  private static final int NANOS_PER_MS = 1_000_000;
  private static final int NANO_DIGITS = 9;

  private Texts() {}

  /** The text of a duration; the builders refuse null, and what is not in whole milliseconds. */
  static String of(Duration duration) {
    if (duration == null || duration.getNano() % NANOS_PER_MS != 0) {
      return String.valueOf(duration);
    }
    BigDecimal nanos = BigDecimal.valueOf(duration.getNano(), NANO_DIGITS);
    BigDecimal seconds = BigDecimal.valueOf(duration.getSeconds()).add(nanos);
    return seconds.stripTrailingZeros().toPlainString() + " seconds";
  }
}
