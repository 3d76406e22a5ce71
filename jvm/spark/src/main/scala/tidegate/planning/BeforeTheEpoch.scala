package tidegate.planning

import tidegate.core.clock.{BatchTimes, OperatorBatch}
import tidegate.plans.DropLate

/** Says that an operator cannot have rows before 1970. */
private[planning] object BeforeTheEpoch {

  /** What the log says if rows are late for an operator only because of its lowest watermark. */
  def note(drop: DropLate, times: BatchTimes): Option[String] = {
    val isOwn = times.operator(drop.operator).lateMs >= drop.lowestMs
    Option.when(drop.lowestMs != OperatorBatch.NothingLate && !isOwn)(
      s"Rows before 1970 are late for the operator `${drop.operator}`, and dropped: Spark gives its " +
        "functions no watermark below 1970-01-01T00:00:00Z. Use later times, or an operator " +
        "without functions of your own."
    )
  }
}
