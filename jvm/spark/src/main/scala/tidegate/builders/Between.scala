package tidegate.builders

/**
 * The bound of a stream join on the times of its sides: `base + lower <= time <= base + upper`.
 *
 * @param time
 *   a time column of one side, the right one if both have it
 * @param base
 *   a time column of the other side
 * @param lower
 *   a duration, which may be negative
 * @param upper
 *   a duration, not below `lower`
 */
final case class Between(time: String, base: String, lower: String, upper: String)
