package tidegate.core.clock

import org.json4s.JsonAST.{JArray, JField, JInt, JObject}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}

/**
 * The watermarks to which a batch has come within itself, or those of a batch that was left out
 * after it because no operator had anything to do. They are kept so that after a restart the same
 * rows are late, and each window closes once.
 *
 * @param batchId
 *   the number of the batch
 * @param savedAtMs
 *   when the state in the offset of that batch was made, in epoch ms: where a query was set back,
 *   and has run on, another batch has the number
 */
final case class SkippedTimes(batchId: Long, savedAtMs: Long, times: ClockTimes) {

  /** Whether this is of a batch that ends with a state. */
  def isOf(batchId: Long, end: ClockState): Boolean =
    this.batchId == batchId && savedAtMs == end.savedAtMs

  private def fields: List[JField] = List(
    "batch" -> JInt(batchId),
    "savedAt" -> JInt(savedAtMs),
    "times" -> ClockCodec.written(times)
  )
}

object SkippedTimes {
  private val Marker = "tidegateSkipped"
  private val Format = 1

  /**
   * As JSON on one line.
   *
   * @param number
   *   of two texts, the one with the higher number is the later one
   * @param batches
   *   at least one, the last batch first
   */
  def text(number: Long, batches: Seq[SkippedTimes]): String = compact(
    JObject(
      (Marker -> JInt(Format)) :: batches.head.fields :::
        List(
          "number" -> JInt(number),
          "earlier" -> JArray(batches.tail.map(e => JObject(e.fields)).toList)
        )
    )
  )

  /**
   * Reads what `text` returned: the number, and the batches. `None` if it is something else, or of
   * a newer version. A text of a single batch may lack the number.
   */
  def read(text: String): Option[(Long, Seq[SkippedTimes])] = parseOpt(text)
    .collect { case json: JObject =>
      new JsonFields(json)
    }
    .flatMap { fields =>
      try {
        val _ = fields.int(Marker, Format, Format)
        val (number, earlier) =
          if (fields.has("number")) fields.long("number") -> fields.objs("earlier") else 0L -> Nil
        Some(number -> (fields +: earlier).map { f =>
          SkippedTimes(f.long("batch"), f.long("savedAt"), ClockCodec.times(f.obj("times")))
        })
      } catch { case _: JsonFields.Unexpected => None }
    }
}
