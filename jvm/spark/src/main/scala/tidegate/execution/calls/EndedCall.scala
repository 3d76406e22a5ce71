package tidegate.execution.calls

import scala.util.Try

import org.apache.spark.sql.Row
import tidegate.plans.CallKey

/**
 * A call that has ended, with its result or its error, and how many were in flight at its start.
 */
private[calls] final case class EndedCall(
    key: CallKey,
    row: Row,
    result: Try[Row],
    attempts: Int,
    micros: Long,
    inFlight: Int
)
