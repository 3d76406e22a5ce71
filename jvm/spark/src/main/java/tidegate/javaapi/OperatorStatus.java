package tidegate.javaapi;

import java.time.Instant;
import java.util.Optional;

/**
 * A stateful operator of a query, or one side of a join.
 *
 * @param key the key of the watermark that it runs on, from 0 to 127
 * @param watermark the time below which rows are late for the operator, in whole milliseconds;
 *     empty until there is one
 * @param idle whether all of its input is idle
 * @param eventTime the name of the column that it runs on
 * @param heldBackBy the keyed watermark furthest behind, which the operator waits for
 * @param evictionWatermark the time below which rows have left the operator's state, in whole
 *     milliseconds; empty until there is one, or if rows stay for ever
 * @param evictionHeldBackBy the keyed watermark that its state waits for; for one side of a join, a
 *     watermark of the other side. Empty if rows stay in the state for ever
 * @param lateRows how many rows it dropped as late since the query was started
 * @param partlyLateRows how many rows came too late for some of their sliding or growing windows, and
 *     are in the others, since the query was started
 * @param partlyLateWindows how many windows these rows miss, all rows together
 */
public record OperatorStatus(
    int key,
    Optional<Instant> watermark,
    boolean idle,
    String eventTime,
    String heldBackBy,
    Optional<Instant> evictionWatermark,
    Optional<String> evictionHeldBackBy,
    long lateRows,
    long partlyLateRows,
    long partlyLateWindows) {

  static OperatorStatus of(tidegate.OperatorStatus status) {
    return new OperatorStatus(
        status.key(),
        Converters.optional(status.watermark()),
        status.idle(),
        status.eventTime(),
        status.heldBackBy(),
        Converters.optional(status.evictionWatermark()),
        Converters.optional(status.evictionHeldBackBy()),
        status.lateRows(),
        status.partlyLateRows(),
        status.partlyLateWindows());
  }
}
