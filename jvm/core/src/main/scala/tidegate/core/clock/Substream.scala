package tidegate.core.clock

import tidegate.core.WatermarkPolicy

/**
 * What the clock of a node remembers of one substream. Its watermark, and whether it is idle, is
 * where the minimum is taken.
 */
private[clock] final class Substream(val name: String, val policy: WatermarkPolicy) {

  /** When it last showed that it is not silent, in epoch ms. */
  var activeAtMs: Long = Long.MinValue

  /** Whether an event was read, with or without a usable time. */
  var isRead: Boolean = false

  /** Whether the source has more of it than was read. */
  var isBehind: Boolean = false
}
