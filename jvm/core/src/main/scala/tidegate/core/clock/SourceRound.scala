package tidegate.core.clock

/**
 * What the sources of a query said when they were asked for their offsets.
 *
 * @param isReadUp
 *   whether the query has read all that they reported
 * @param isNew
 *   whether one of them gave anything to read
 * @param endedMs
 *   when all of them had been asked, in epoch ms
 * @param unread
 *   for the nodes whose sources may tell of their substreams: by substream, whether there was more
 *   than was read, the same object as long as nothing changes; `None` if the source told nothing
 */
final case class SourceRound(
    isReadUp: Boolean,
    isNew: Boolean,
    endedMs: Long,
    unread: Map[String, Option[Map[String, Boolean]]] = Map.empty
)
