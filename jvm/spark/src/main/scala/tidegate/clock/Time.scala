package tidegate.clock

/**
 * A time as it is now.
 *
 * @param heldBackBy
 *   the watermark node that is the minimum, or that has none yet
 */
final case class Time(watermarkMs: Option[Long], idle: Boolean, heldBackBy: String)
