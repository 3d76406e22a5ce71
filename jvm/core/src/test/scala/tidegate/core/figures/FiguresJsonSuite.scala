package tidegate.core.figures

import java.util.UUID

import scala.collection.immutable.SortedMap

import org.json4s.JsonAST.{JNull, JObject, JString}
import org.json4s.jackson.JsonMethods.{compact, parse}
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.policy.{EmissionSpec, PolicySpec}

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
    futureEvents = Count(4, 9),
    holders = SortedMap("a" -> 5000L, "b" -> 6000L)
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
    lateness =
      Some(LatenessFigures(LateRowFigures(2, 3, 4), SortedMap("a" -> LateRowFigures(2, 3, 4)))),
    state = Some(StateSize(3, 4))
  )
  private val bare =
    aggregate.copy(lateness = None, evictionHeldBackBy = None, nextEndMs = None, state = None)
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

  private val settings = WatermarkSettings(
    Seq("shop STRING"),
    PolicySpec("fixedLag", Seq(5000)),
    EmissionSpec.byMinStep(1000),
    Some(60000),
    None,
    None,
    None,
    flush = false,
    None,
    None,
    Some(600000)
  )

  test("settings as a person reads them") {
    assert(
      settings.texts.map { case (name, text) => s"$name: $text" } === Seq(
        "lag: 5 s",
        "policy: fixedLag(lag 5 s)",
        "emission: byMinStep(1 s)",
        "substream: shop STRING",
        "idleTimeout: 1 min",
        "idleBehind: as idleTimeout",
        "maxFutureSkew: no limit",
        "allowedLateness: none",
        "lateRows: only counted",
        "flush: no",
        "forgetAfter: never",
        "stallWarning: 10 min"
      )
    )
  }

  test("without the names of substreams, which are values of rows") {
    val hidden = batch.withoutSubstreams
    assert(hidden.watermarks("orders").holders.isEmpty)
    assert(
      hidden.operators("aggregate").lateness.exists(l => l.all.rows == 2 && l.substreams.isEmpty)
    )
  }

  test("a query: its watermarks and operators have the fields that they have in a batch") {
    val substream = SubstreamFigures(Some(5000), false, 30, true, true, None, Some(12))
    val detail = WatermarkDetail(Map("a" -> substream), Nil, false, None, 0, 0, None)
    val query = QueryFigures(
      QueryIds(Some("hourly"), new UUID(0, 1), new UUID(0, 2)),
      RunState.Running,
      9000,
      SortedMap(
        "orders" -> orders
          .copy(eventTime = Some("time"), settings = Some(settings), detail = Some(detail))
      ),
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
    assert((json \ "verdict" \ "kind", json \ "batchSince") === ((JString("moving"), JNull)))
    assert((watermark \ "verdict") === (json \ "verdict"))
    assert(
      (watermark \ "settings") === parse(
        """{"substream": ["shop STRING"], "policy": "fixedLag", "policyMs": {"lag": 5000},
        |"emission": "byMinStep", "emissionMs": 1000, "idleTimeoutMs": 60000, "idleBehindMs": null,
        |"maxFutureSkewMs": null, "allowedLatenessMs": null, "lateRows": null, "flush": false,
        |"forgetAfterMs": null, "stallWarningMs": 600000}""".stripMargin
      )
    )
    assert(
      FiguresJson.summary(query).obj === json.obj.take(FiguresJson.summary(query).obj.size)
    )
    val logged = FiguresJson.of(query.copy(watermarks = SortedMap("orders" -> orders)))
    assert(
      (logged \ "explanation", logged \ "watermarks" \ "orders" \ "substreams") ===
        ((JNull, JNull))
    )
  }
}
