package tidegate.own.order

/** How an event-time order writes the rows that wait. */
object OrderFormat {

  /** A row of the state for each row: version 0.1.0. They are read, and not written any more. */
  val Rows = 1

  /** A row of the state for many rows. */
  val Pages = 2

  /**
   * What this version writes, and the highest that it reads. A partition may still have the rows of
   * [[Rows]], which move in its next batch.
   */
  val Current: Int = Pages
}
