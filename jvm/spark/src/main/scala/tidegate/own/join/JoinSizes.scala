package tidegate.own.join

/**
 * How much an interval join has in memory and in one row of its state.
 *
 * @param chunkRows
 *   how many rows a small chunk has; a head has up to twice as many outside of chunks
 * @param chunkBytes
 *   the same in bytes
 * @param chunksOfASize
 *   after so many chunks, the next ones may be larger by the size of a small chunk
 * @param rowsAtOnce
 *   how many new rows of a key are in memory at once
 * @param bytesAtOnce
 *   the same in bytes
 */
private[join] final case class JoinSizes(
    chunkRows: Int = 64,
    chunkBytes: Int = 64 << 10,
    chunksOfASize: Int = 32,
    rowsAtOnce: Int = 8192,
    bytesAtOnce: Int = 4 << 20
)
