package tidegate.ui

import org.json4s.JsonAST._
import org.json4s.jackson.JsonMethods.parse
import tidegate.clock.SightJson
import tidegate.core.clock.SubstreamView

/** What the pages show, as JSON; times in epoch ms. */
private[ui] object QueryJson {

  def head(run: RunPicture): JObject = JObject(
    "name" -> run.ids.name.fold[JValue](JNull)(JString(_)),
    "id" -> JString(run.ids.id.toString),
    "runId" -> JString(run.ids.runId.toString),
    "state" -> JString(run.state)
  )

  def all(run: RunPicture): JObject = JObject(
    head(run).obj ++ List[JField](
      "wallClock" -> JInt(run.atMs),
      "explanation" -> run.explanation.fold[JValue](JNull)(JString(_)),
      "watermarks" -> JObject(
        run.watermarks.toList.map(w => JField(w.name, watermark(w))) ++
          run.operators.map(o => JField(o.name, operator(o)))
      ),
      "batches" -> parse(SightJson.write(run.batches)),
      "events" -> parse(SightJson.writeEvents(run.events))
    )
  )

  private def watermark(w: WatermarkPicture): JObject = JObject(
    "kind" -> JString("watermark"),
    "key" -> JInt(w.mark.key.toInt),
    "watermark" -> optional(w.mark.watermarkMs),
    "heldBackBy" -> text(w.heldBackBy),
    "heldBackMs" -> JInt(w.heldBackMs),
    "idle" -> JBool(w.mark.idle),
    "activeSubstreams" -> JInt(w.counts.active),
    "idleSubstreams" -> JInt(w.counts.idle),
    "unreadSubstreams" -> JInt(w.counts.unread),
    "futureEvents" -> JInt(w.futureEvents),
    "substreams" -> w.substreams.fold[JValue](JNull)(all =>
      JObject(all.toList.sortBy(_._1).map { case (name, s) =>
        JField(name, substream(s, w.unreadRows.get(name)))
      })
    )
  )

  private def substream(s: SubstreamView, unreadRows: Option[Long]): JObject = JObject(
    "watermark" -> optional(s.watermarkMs),
    "idle" -> JBool(s.idle),
    "activeAt" -> JInt(s.activeAtMs),
    "unread" -> JBool(s.isUnread),
    "unreadRows" -> optional(unreadRows),
    "newAt" -> optional(s.newAtMs)
  )

  private def operator(o: OperatorPicture): JObject = JObject(
    "kind" -> JString("operator"),
    "key" -> JInt(o.mark.key.toInt),
    "watermark" -> optional(o.mark.watermarkMs),
    "heldBackBy" -> JString(o.heldBackBy),
    "evictionWatermark" -> optional(o.mark.evictionMs),
    "evictionHeldBackBy" -> text(o.evictionHeldBackBy),
    "idle" -> JBool(o.mark.idle),
    "lateRows" -> JInt(o.lateRows),
    "lateRowsInBatch" -> JInt(o.lateRowsInBatch),
    "stateRows" -> optional(o.state.map(_.rows)),
    "stateBytes" -> optional(o.state.map(_.bytes)),
    "nextWindowEnd" -> optional(o.nextEndMs)
  )

  private def optional(n: Option[Long]): JValue = n.fold[JValue](JNull)(JInt(_))

  private def text(t: Option[String]): JValue = t.fold[JValue](JNull)(JString(_))
}
