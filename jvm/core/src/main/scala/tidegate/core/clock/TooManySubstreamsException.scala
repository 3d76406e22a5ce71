package tidegate.core.clock

/** A watermark node has more substreams than it may have. */
final class TooManySubstreamsException(val limit: SubstreamLimit, val found: Int)
    extends RuntimeException(
      s"The watermark `${limit.node}` has found $found substreams by " +
        s"${limit.columns.mkString("`", "`, `", "`")}, but may have ${limit.max}."
    )
