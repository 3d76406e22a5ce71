package tidegate.core.clock

import org.json4s.JsonAST.{JInt, JObject}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}

/**
 * The watermarks of the last batch that was left out because no operator had anything to do. They
 * are kept until the next batch, so that after a restart the same rows are late.
 *
 * @param batchId
 *   the number of the batch after which it was left out
 * @param savedAtMs
 *   when the state at the end of that batch was made, in epoch ms: where a query was set back, and
 *   has run on, another batch has the number
 */
final case class SkippedTimes(batchId: Long, savedAtMs: Long, times: ClockTimes) {

  /** As JSON on one line. */
  def text: String = compact(
    JObject(
      SkippedTimes.Marker -> JInt(SkippedTimes.Format),
      "batch" -> JInt(batchId),
      "savedAt" -> JInt(savedAtMs),
      "times" -> ClockCodec.written(times)
    )
  )
}

object SkippedTimes {
  private val Marker = "tidegateSkipped"
  private val Format = 1

  /** Reads what `text` returned; `None` if it is something else, or of a newer version. */
  def read(text: String): Option[SkippedTimes] = parseOpt(text)
    .collect { case json: JObject =>
      new JsonFields(json)
    }
    .flatMap { fields =>
      try {
        val _ = fields.int(Marker, Format, Format)
        val times = ClockCodec.times(fields.obj("times"))
        Some(SkippedTimes(fields.long("batch"), fields.long("savedAt"), times))
      } catch { case _: JsonFields.Unexpected => None }
    }
}
