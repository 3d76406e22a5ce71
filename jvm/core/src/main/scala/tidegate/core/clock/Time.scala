package tidegate.core.clock

/**
 * The current value of a time.
 *
 * @param heldBackBy
 *   the watermark node that this time waits for: the lowest one, or one without a watermark
 */
final case class Time(watermarkMs: Option[Long], idle: Boolean, heldBackBy: String)
