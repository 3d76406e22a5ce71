package tidegate.settings

/** The defaults of arguments that are durations. Python has the same ones, and a test compares. */
object Defaults {

  /** After how many ms without events a substream is idle and left out. */
  val IdleTimeoutMs: Long = 60000L

  /** The same as text. */
  val IdleTimeout: String = s"${IdleTimeoutMs / 1000} seconds"

  /** How far a substream without new rows stays behind the wall clock, with ingestion time. */
  val MaxIdleLag: String = "10 seconds"
}
