package tidegate.core

/** What a coalesced stream forwards to its reader: a watermark of one key, or idleness. */
sealed trait WatermarkSignal

/**
 * The promise that no event of `key` with a timestamp below `timestampMs` is expected any more.
 *
 * Example: `Watermark(0, 12000)` says that time 0 of the stream has passed 12 s after 1970.
 *
 * @param key
 *   the key of the watermark, 0 to 127
 * @param timestampMs
 *   epoch milliseconds; `Long.MinValue` stands for no watermark and is never forwarded
 */
final case class Watermark(key: Byte, timestampMs: Long) extends WatermarkSignal

/**
 * No input is active any more: a coalescer of this stream with others leaves this stream out.
 *
 * Idleness has no key: a stream is idle for all its keys or for none. The signal always comes after
 * the watermarks of the same call, as in `Seq(Watermark(1, 12), Idle)`.
 */
case object Idle extends WatermarkSignal

/**
 * Represents a missing watermark as the lowest value, where an `Option` would cost an allocation.
 */
private[core] object NoWatermark {

  final val Ms = Long.MinValue

  def toOption(timestampMs: Long): Option[Long] = Option.when(timestampMs != Ms)(timestampMs)
}
