package tidegate.plans

/** How an event-time order writes the rows that wait. A query goes on with what it began with. */
object OrderFormat {

  /** A row of the state for each row: version 0.1.0. */
  val Rows = 1

  /** A row of the state for many rows. */
  val Pages = 2

  /** What queries without state begin with, and the highest that this version reads. */
  val Current: Int = Pages
}
