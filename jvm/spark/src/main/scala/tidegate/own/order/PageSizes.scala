package tidegate.own.order

/**
 * How large pages are, and how much of them is in memory at a time.
 *
 * @param rows
 *   the most rows of a page
 * @param bytes
 *   the most bytes of the rows of a page; a larger row has a page of its own
 * @param roundRows
 *   the most rows that are sorted together
 * @param roundBytes
 *   the most bytes of the rows that are sorted together
 * @param open
 *   the most pages that are merged at a time, at least 2
 */
private[order] final case class PageSizes(
    rows: Int = 256,
    bytes: Int = 64 * 1024,
    roundRows: Int = 64 * 1024,
    roundBytes: Int = 16 * 1024 * 1024,
    open: Int = 64
)
