package tidegate.settings

/**
 * The defaults of arguments. Python has the same ones, and a test compares.
 */
object Defaults {

  /** After how many ms without events a substream is idle and left out. */
  val IdleTimeoutMs: Long = 60000L

  /** The same as text. */
  val IdleTimeout: String = s"${IdleTimeoutMs / 1000} seconds"

  /** How far a substream without new rows stays behind the wall clock, with ingestion time. */
  val MaxIdleLag: String = "10 seconds"

  /** The column with the times at which rows were appended, as Kafka's source calls it. */
  val IngestionTime: String = "timestamp"

  /** How long an attempt of an asynchronous call may take. */
  val CallTimeout: String = "30 seconds"

  /** How many asynchronous calls a task has in flight. */
  val MaxInFlight: Int = 100

  /** How often a failed asynchronous call is made again. */
  val Retries: Int = 2

  /** After how many failed asynchronous calls in a row a task fails. */
  val BreakAfter: Int = 100
}
