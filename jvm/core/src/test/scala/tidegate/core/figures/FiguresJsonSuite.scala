package tidegate.core.figures

import java.util.UUID

import scala.collection.immutable.SortedMap

import org.json4s.JsonAST.{JNull, JObject, JString}
import org.json4s.jackson.JsonMethods.{compact, parse}
import org.scalatest.funsuite.AnyFunSuite

class FiguresJsonSuite extends AnyFunSuite {

  private val orders = WatermarkFigures(
    key = 1,
    watermarkMs = Some(5000),
    idle = false,
    heldBackBy = Some("a"),
    heldSinceMs = Some(10),
    heldBackMs = 7,
    activeSubstreams = 2,
    idleSubstreams = 3,
    unreadSubstreams = 1,
    movedAtMs = 20,
    futureEvents = Count(4, 9)
  )
  private val none = orders.copy(watermarkMs = None, heldBackBy = None, heldSinceMs = None)
  private val aggregate = OperatorFigures(
    key = 1,
    watermarkMs = Some(5000),
    idle = false,
    heldBackBy = "orders",
    evictionMs = Some(4000),
    evictionHeldBackBy = Some("orders"),
    nextEndMs = Some(6000),
    lateRows = Count(1, 2),
    partlyLateRows = Count(5, 6),
    partlyLateWindows = Count(7, 8),
    state = Some(StateSize(3, 4))
  )
  private val bare = aggregate.copy(evictionHeldBackBy = None, nextEndMs = None, state = None)
  private val batch = BatchFigures(
    7,
    9000,
    8000,
    100,
    SortedMap("orders" -> orders, "none" -> none),
    SortedMap("aggregate" -> aggregate, "bare" -> bare)
  )

  test("a batch is read as it was written") {
    assert(FiguresJson.readBatch(compact(FiguresJson.of(batch))) === Some(batch))
  }

  test("what is no batch, or lacks a field, is not read") {
    val json = FiguresJson.of(batch)
    val lacking = JObject(json.obj.filterNot(_._1 == "inputRows"))
    val without = json.replace(List("watermarks", "orders", "movedAt"), JNull)
    Seq("", "[]", "{", compact(lacking), compact(without)).foreach { text =>
      assert(FiguresJson.readBatch(text) === None, text)
    }
  }

  test("events are read as they were written; others are left out") {
    val event = TimeEvent(1, TimeEvent.New, "orders", Seq("a", "b"), 2, "new substreams: a, b.")
    val json = FiguresJson.of(Seq(event, event.copy(atMs = 2)))
    assert(FiguresJson.readEvents(compact(json)) === Seq(event, event.copy(atMs = 2)))
    assert(FiguresJson.readEvents(compact(json).replaceFirst("\"at\":1,", "")).size === 1)
    assert(FiguresJson.readEvents("?") === Nil)
  }

  test("a query: its watermarks and operators have the fields that they have in a batch") {
    val substream = SubstreamFigures(Some(5000), false, 30, true, true, None, Some(12))
    val detail = WatermarkDetail(Map("a" -> substream), Nil, false, None, 0, 0, None)
    val query = QueryFigures(
      QueryIds(Some("hourly"), new UUID(0, 1), new UUID(0, 2)),
      RunState.Running,
      9000,
      SortedMap("orders" -> orders.copy(eventTime = Some("time"), detail = Some(detail))),
      SortedMap("aggregate" -> aggregate.copy(eventTime = Some("window"))),
      Seq(batch)
    )
    val json = FiguresJson.of(query)
    assert(
      json.obj.take(4).map(_._2.values) ===
        Seq("hourly", query.ids.id.toString, query.ids.runId.toString, "running")
    )
    assert((json \ "explanation").values.toString.startsWith("The query `hourly` runs;"))
    val (watermark, operator) = (json \ "watermarks" \ "orders", json \ "watermarks" \ "aggregate")
    val ofBatch = (json \ "batches")(0)
    def common(entry: Any) = entry.asInstanceOf[JObject].obj.toSet
    assert(common(ofBatch \ "watermarks" \ "orders").subsetOf(common(watermark)))
    assert(common(ofBatch \ "operators" \ "aggregate").subsetOf(common(operator)))
    assert(
      (watermark \ "kind", watermark \ "eventTime") === ((JString("watermark"), JString("time")))
    )
    assert(
      (operator \ "kind", operator \ "eventTime") === ((JString("operator"), JString("window")))
    )
    assert(
      watermark \ "substreams" === parse(
        """{"a": {"watermark": 5000, "idle": false, "activeAt": 30, "unread": true,
        |"unreadRows": 12, "newAt": null}}""".stripMargin
      )
    )
    val logged = FiguresJson.of(query.copy(watermarks = SortedMap("orders" -> orders)))
    assert(
      (logged \ "explanation", logged \ "watermarks" \ "orders" \ "substreams") ===
        ((JNull, JNull))
    )
  }
}
