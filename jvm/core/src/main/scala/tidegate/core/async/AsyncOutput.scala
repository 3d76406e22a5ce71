package tidegate.core.async

import tidegate.core.WatermarkSignal

/** What leaves a stage of asynchronous calls: the answer to a row, or a signal of time. */
sealed trait AsyncOutput[+R]

/** The answer to row number `row`. */
final case class Answer[R](row: Long, result: R) extends AsyncOutput[R]

/** A watermark or idleness, behind every answer to the rows before it. */
final case class Passed(signal: WatermarkSignal) extends AsyncOutput[Nothing]
