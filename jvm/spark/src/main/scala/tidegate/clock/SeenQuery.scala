package tidegate.clock

/**
 * A run of a query, as it is now or as it was when it ended.
 *
 * @param unreadRows
 *   by watermark, how many rows of each substream are not read; empty where the source does not
 *   tell, and for a query that has ended
 */
private[tidegate] final case class SeenQuery(
    ids: QueryIds,
    view: QueryView,
    sight: QuerySight,
    unreadRows: Map[String, Map[String, Long]]
)
