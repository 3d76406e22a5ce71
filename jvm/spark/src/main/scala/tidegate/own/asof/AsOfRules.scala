package tidegate.own.asof

/**
 * Up to which times a batch looks at keys, in µs and inclusive; `Long.MinValue` before the first
 * watermark.
 *
 * @param decided
 *   left rows up to this time leave: no version of their time or an earlier one comes any more
 * @param passed
 *   up to this time no left row comes or waits
 */
private[asof] final case class AsOfLimits(decided: Long, passed: Long)

/**
 * How much is in memory and in one row of the state.
 *
 * @param chunkRows
 *   how many rows a small chunk has; a head has up to twice as many of each side
 * @param chunkBytes
 *   the same in bytes
 * @param chunksOfASize
 *   after so many chunks, the next ones may be larger by the size of a small chunk
 * @param rowsAtOnce
 *   how many rows of a key are in memory at once
 * @param bytesAtOnce
 *   the same in bytes
 */
private[asof] final case class AsOfSizes(
    chunkRows: Int = 64,
    chunkBytes: Int = 64 << 10,
    chunksOfASize: Int = 32,
    rowsAtOnce: Int = 8192,
    bytesAtOnce: Int = 4 << 20
)

/** Of two line-ups of keys, or of two inputs, one for each side. */
private[asof] final case class Pair[+T](left: T, right: T)
