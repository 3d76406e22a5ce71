package tidegate.clock

/** A run of a query, as it is now or as it was when it ended. */
private[tidegate] final case class SeenQuery(ids: QueryIds, view: QueryView, sight: QuerySight)
