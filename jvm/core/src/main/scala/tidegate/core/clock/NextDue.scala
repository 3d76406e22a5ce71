package tidegate.core.clock

/**
 * When an operator has something to do next without new rows, as it tells at the end of a batch.
 *
 * @param ms
 *   the first eviction watermark, in epoch ms, at which something may leave its state; it may be
 *   too early, but never too late
 * @param isOfAll
 *   whether this is so for all of its state; if not, only for what the batch has touched
 */
final case class NextDue(ms: Long, isOfAll: Boolean)
