package tidegate.plans

/** How an event-time order writes the rows that wait. */
object OrderFormat {

  /** A row of the state for each row: version 0.1.0. It is read, and not written any more. */
  val Rows = 1

  /** A row of the state for many rows. */
  val Pages = 2

  /** Pages, but a partition may still have the rows of [[Rows]], which move in its next batch. */
  val PagesAfterRows = 3

  /** What queries without state begin with. */
  val Current: Int = Pages

  /** The highest that this version reads. */
  val Highest: Int = PagesAfterRows

  /** What a query goes on with that has begun with a format. */
  def after(format: Int): Int = if (format == Rows) PagesAfterRows else format
}
