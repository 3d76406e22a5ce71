package tidegate.ui

import org.json4s.JsonAST._
import org.json4s.jackson.JsonMethods.parse
import tidegate.clock.{SeenQuery, SightJson}
import tidegate.core.sight.{Explanation, SightEvent}
import tidegate.ui.Elements.state

/** What the pages show, as JSON; times in epoch ms. */
private[ui] object QueryJson {

  def head(query: SeenQuery): JObject = JObject(
    "name" -> query.ids.name.fold[JValue](JNull)(JString(_)),
    "id" -> JString(query.ids.id.toString),
    "runId" -> JString(query.ids.runId.toString),
    "state" -> JString(state(query))
  )

  def all(query: SeenQuery): JObject = JObject(
    head(query).obj ++ List[JField](
      "wallClock" -> JInt(query.sight.situation.nowMs),
      "explanation" -> JString(Explanation.of(query.sight.situation)),
      "watermarks" -> parse(query.view.json),
      "batches" -> parse(SightJson.write(query.sight.memory.batches)),
      "events" -> JArray(query.sight.memory.events.toList.map(event))
    )
  )

  private def event(e: SightEvent): JObject = JObject(
    "at" -> JInt(e.atMs),
    "kind" -> JString(e.kind),
    "name" -> JString(e.name),
    "substreams" -> JArray(e.substreams.toList.map(JString(_))),
    "count" -> JInt(e.count),
    "text" -> JString(e.text)
  )
}
