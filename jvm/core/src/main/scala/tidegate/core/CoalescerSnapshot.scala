package tidegate.core

/**
 * Everything that a [[KeyedWatermarkCoalescer]] knows. A plain value, fit to be compared and
 * serialized.
 *
 * Example: a new coalescer of one input has the snapshot
 * `CoalescerSnapshot(Vector(InputState.Active), Map.empty, isIdle = false)`.
 *
 * @param inputs
 *   the state of every input, in the order of their numbers
 * @param keys
 *   the keys for which any input has sent a watermark
 * @param isIdle
 *   whether [[Idle]] was forwarded and no input has been active since
 */
final case class CoalescerSnapshot(
    inputs: Vector[InputState],
    keys: Map[Byte, KeySnapshot],
    isIdle: Boolean
)

/**
 * What a [[KeyedWatermarkCoalescer]] knows about one key.
 *
 * Example: two inputs of which only the first has sent a watermark, 10, give
 * `KeySnapshot(None, Vector(Some(10), None))`.
 *
 * @param forwarded
 *   the last forwarded watermark in epoch ms
 * @param watermarks
 *   the last watermark of every input in epoch ms, in the order of the inputs' numbers
 */
final case class KeySnapshot(forwarded: Option[Long], watermarks: Vector[Option[Long]])
