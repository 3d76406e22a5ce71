package tidegate.plans

/**
 * How the calls of a task are made.
 *
 * @param function
 *   the name of the function, for messages
 * @param maxInFlight
 *   the largest number of calls in flight in a task
 * @param timeoutMs
 *   how long an attempt may take; none: for ever
 * @param retries
 *   how often a failed call is made again
 * @param breakAfter
 *   after how many failed calls in a row a task fails whatever `onError` says
 */
final case class CallOptions(
    function: String,
    ordered: Boolean,
    maxInFlight: Int,
    timeoutMs: Option[Long],
    retries: Int,
    onError: OnError,
    breakAfter: Int
)
