package tidegate.core.clock

import tidegate.core.policy.WatermarkPolicy

/**
 * What the clock of a node remembers of one substream. `ActiveMinimum` keeps its watermark, and
 * whether it is idle.
 *
 * @param number
 *   of its input of the minimum
 */
private[clock] final class Substream(
    val name: String,
    val number: Int,
    val policy: WatermarkPolicy
) {

  /** When the substream last showed activity, in epoch ms. */
  var activeAtMs: Long = Long.MinValue

  /** When it appeared, in epoch ms; `None` if it did before the start of the run. */
  var newAtMs: Option[Long] = None

  /** Whether an event was read, with or without a usable time. */
  var isRead: Boolean = false

  /** Whether the source has rows of the substream that were not read. */
  var isBehind: Boolean = false

  /** Whether the log has that it holds time back; not again before a row of it comes. */
  var isLogged: Boolean = false
}
