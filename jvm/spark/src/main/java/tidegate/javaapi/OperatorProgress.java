package tidegate.javaapi;

import java.time.Instant;
import java.util.Optional;

/**
 * A stateful operator, or one side of a join, at the end of a batch.
 *
 * @param key the key of the watermark that it runs on, from 0 to 127
 * @param watermark the time of its rows: those of the next batch that are below it are late; empty
 *     until there is one
 * @param idle whether all of its input was idle
 * @param heldBackBy the keyed watermark that its rows waited for
 * @param evictionWatermark the time below which rows had left its state; empty until there is one,
 *     or if rows stay for ever
 * @param evictionHeldBackBy the keyed watermark that its state waited for; empty if rows stay for
 *     ever
 * @param lateRows how many rows of the batch were dropped as late
 * @param lateRowsTotal the same, since the query was started
 * @param partlyLateRows how many rows of the batch came too late for some of their sliding or growing
 *     windows, and are in the others
 * @param partlyLateRowsTotal the same, since the query was started
 * @param partlyLateWindows how many windows these rows of the batch miss, all rows together
 * @param partlyLateWindowsTotal the same, since the query was started
 * @param stateRows how many rows its state had; the sides of a join have one state together
 * @param stateBytes how large its state was in memory, in bytes, as its store counts them
 * @param nextWindowEnd the end of the next window that will be closed; empty if the operator has no
 *     windows from frames
 */
public record OperatorProgress(
    int key,
    Optional<Instant> watermark,
    boolean idle,
    String heldBackBy,
    Optional<Instant> evictionWatermark,
    Optional<String> evictionHeldBackBy,
    long lateRows,
    long lateRowsTotal,
    long partlyLateRows,
    long partlyLateRowsTotal,
    long partlyLateWindows,
    long partlyLateWindowsTotal,
    Optional<Long> stateRows,
    Optional<Long> stateBytes,
    Optional<Instant> nextWindowEnd) {

  static OperatorProgress of(tidegate.OperatorProgress progress) {
    return new OperatorProgress(
        progress.key(),
        Converters.optional(progress.watermark()),
        progress.idle(),
        progress.heldBackBy(),
        Converters.optional(progress.evictionWatermark()),
        Converters.optional(progress.evictionHeldBackBy()),
        progress.lateRows(),
        progress.lateRowsTotal(),
        progress.partlyLateRows(),
        progress.partlyLateRowsTotal(),
        progress.partlyLateWindows(),
        progress.partlyLateWindowsTotal(),
        Converters.optional(progress.stateRows()).map(Long.class::cast),
        Converters.optional(progress.stateBytes()).map(Long.class::cast),
        Converters.optional(progress.nextWindowEnd()));
  }
}
