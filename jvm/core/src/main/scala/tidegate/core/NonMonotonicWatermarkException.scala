package tidegate.core

/**
 * An input sent a watermark that is not above its previous one of the same key.
 *
 * The coalescer that throws this exception is unchanged: the call had no effect. Its message is a
 * sentence with all four values, for example `Input 3 sent watermark 10 for key 0 after watermark
 * 12; the watermarks of one input and key must strictly increase.`
 *
 * @param input
 *   the input that broke the rule, from 0
 * @param key
 *   the watermark key, 0 to 127
 * @param previousMs
 *   the last accepted watermark of that input and key, in epoch ms
 * @param timestampMs
 *   the refused watermark, in epoch ms
 */
final class NonMonotonicWatermarkException(
    val input: Int,
    val key: Byte,
    val previousMs: Long,
    val timestampMs: Long
) extends RuntimeException(
      s"Input $input sent watermark $timestampMs for key $key after watermark $previousMs; " +
        "the watermarks of one input and key must strictly increase."
    )
