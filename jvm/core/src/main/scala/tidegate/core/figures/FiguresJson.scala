package tidegate.core.figures

import scala.collection.immutable.SortedMap

import org.json4s.JsonAST._
import org.json4s.jackson.JsonMethods.parseOpt
import tidegate.core.policy.PolicySpec

/** Figures as JSON: for Python, for Spark's progress, and for the pages. Times are in epoch ms. */
object FiguresJson {

  /** Which run it is, and whether it runs. */
  def head(query: QueryFigures): JObject = JObject(
    "name" -> text(query.ids.name),
    "id" -> JString(query.ids.id.toString),
    "runId" -> JString(query.ids.runId.toString),
    "state" -> JString(query.state.label)
  )

  /** The same, and how its time is: a line of the list of queries. */
  def summary(query: QueryFigures): JObject = {
    val deciding = Verdicts.deciding(query)
    JObject(
      head(query).obj ++ List[JField](
        "wallClock" -> JInt(query.atMs),
        "batchSince" -> number(query.batchSinceMs),
        "verdict" -> of(Verdicts.of(query)),
        "lowestWatermark" -> number(query.lowestMs),
        "lagMs" -> number(WatermarkFigures.lagMs(query.lowestMs, query.atMs)),
        "pace" -> deciding.flatMap(Pace.of(query, _)).fold[JValue](JNull)(of(_, query.atMs)),
        "lateRowsTotal" -> JInt(query.lateRows)
      )
    )
  }

  def of(query: QueryFigures): JObject = JObject(
    summary(query).obj ++ List[JField](
      "explanation" -> text(Option.when(query.isDetailed)(Explanation.of(query))),
      "watermarks" -> watermarks(query),
      "batches" -> JArray(query.batches.toList.map(of(_))),
      "events" -> of(query.events)
    )
  )

  /** The watermarks by name, and behind them the operators. */
  def watermarks(query: QueryFigures): JObject = {
    val watermarks = named(query.watermarks) { (name, w) =>
      val substreams = w.detail.fold[JValue](JNull) { d =>
        JObject(fields(SortedMap.from(d.substreams))(s => of(s)))
      }
      val more = List[JField](
        "eventTime" -> text(w.eventTime),
        "verdict" -> Verdicts.of(query, name).fold[JValue](JNull)(of(_)),
        "pace" -> Pace.of(query, name).fold[JValue](JNull)(of(_, query.atMs)),
        "settings" -> w.settings.fold[JValue](JNull)(of(_)),
        "substreams" -> substreams
      )
      JObject(JField("kind", JString("watermark")) :: of(w, query.atMs).obj ::: more)
    }
    val operators = fields(query.operators) { o =>
      val more = List[JField]("eventTime" -> text(o.eventTime))
      JObject(JField("kind", JString("operator")) :: of(o).obj ::: more)
    }
    JObject(watermarks ++ operators)
  }

  def of(batch: BatchFigures): JObject = JObject(
    "batchId" -> JInt(batch.batchId),
    "wallClock" -> JInt(batch.wallClockMs),
    "batchTime" -> JInt(batch.batchTimeMs),
    "inputRows" -> JInt(batch.inputRows),
    "watermarks" -> JObject(fields(batch.watermarks)(of(_, batch.wallClockMs))),
    "operators" -> JObject(fields(batch.operators)(of(_)))
  )

  def of(events: Seq[TimeEvent]): JArray = JArray(events.toList.map { e =>
    JObject(
      "at" -> JInt(e.atMs),
      "kind" -> JString(e.kind),
      "name" -> JString(e.name),
      "substreams" -> JArray(e.substreams.toList.map(JString(_))),
      "count" -> JInt(e.count),
      "text" -> JString(e.text)
    )
  })

  private def of(v: Verdict): JObject = JObject(
    "kind" -> JString(v.kind),
    "watermark" -> text(v.watermark),
    "waitsFor" -> text(v.waitsFor),
    "since" -> number(v.sinceMs),
    "text" -> JString(v.text)
  )

  private def of(p: Pace, nowMs: Long): JObject = JObject(
    "kind" -> JString(p.kind),
    "eventSecondsPerSecond" -> JDouble(p.perSecond),
    "overMs" -> JInt(p.overMs),
    "thereAt" -> number(p.thereAtMs),
    "text" -> JString(p.text(nowMs))
  )

  private def of(s: WatermarkSettings): JObject = {
    val durations = PolicySpec.arguments(s.policy.name).getOrElse(Nil).zip(s.policy.durationsMs)
    JObject(
      "substream" -> JArray(s.substream.toList.map(JString(_))),
      "policy" -> JString(s.policy.name),
      "policyMs" -> JObject(durations.toList.map { case (name, ms) => name -> JInt(ms) }),
      "emission" -> JString(s.emission.name),
      "emissionMs" -> JInt(s.emission.sizeMs),
      "idleTimeoutMs" -> number(s.idleTimeoutMs),
      "idleBehindMs" -> number(s.idleBehindMs),
      "maxFutureSkewMs" -> number(s.maxFutureSkewMs),
      "allowedLatenessMs" -> number(s.allowedLatenessMs),
      "lateRows" -> text(s.lateRows),
      "flush" -> JBool(s.flush),
      "forgetAfterMs" -> number(s.forgetAfterMs),
      "stallWarningMs" -> number(s.stallMs)
    )
  }

  private def of(l: LatenessFigures): JObject = {
    def one(f: LateRowFigures) =
      JObject("rows" -> JInt(f.rows), "p50Ms" -> JInt(f.p50Ms), "maxMs" -> JInt(f.maxMs))
    JObject(one(l.all).obj :+ JField("substreams", JObject(fields(l.substreams)(one))))
  }

  private def of(w: WatermarkFigures, wallClockMs: Long): JObject = JObject(
    "key" -> JInt(w.key),
    "watermark" -> number(w.watermarkMs),
    "lagMs" -> number(w.lagMs(wallClockMs)),
    "idle" -> JBool(w.idle),
    "heldBackBy" -> text(w.heldBackBy),
    "heldBackSince" -> number(w.heldSinceMs),
    "heldBackMs" -> JInt(w.heldBackMs),
    "activeSubstreams" -> JInt(w.activeSubstreams),
    "idleSubstreams" -> JInt(w.idleSubstreams),
    "unreadSubstreams" -> JInt(w.unreadSubstreams),
    "movedAt" -> JInt(w.movedAtMs),
    "futureEvents" -> JInt(w.futureEvents.inBatch),
    "futureEventsTotal" -> JInt(w.futureEvents.inAll),
    "holders" -> JObject(w.holders.toList.map { case (name, ms) => name -> JInt(ms) })
  )

  private def of(s: SubstreamFigures): JObject = JObject(
    "watermark" -> number(s.watermarkMs),
    "idle" -> JBool(s.idle),
    "activeAt" -> JInt(s.activeAtMs),
    "unread" -> JBool(s.isUnread),
    "unreadRows" -> number(s.unreadRows),
    "newAt" -> number(s.newAtMs)
  )

  private def of(o: OperatorFigures): JObject = JObject(
    "key" -> JInt(o.key),
    "watermark" -> number(o.watermarkMs),
    "idle" -> JBool(o.idle),
    "heldBackBy" -> JString(o.heldBackBy),
    "evictionWatermark" -> number(o.evictionMs),
    "evictionHeldBackBy" -> text(o.evictionHeldBackBy),
    "lateRows" -> JInt(o.lateRows.inBatch),
    "lateRowsTotal" -> JInt(o.lateRows.inAll),
    "partlyLateRows" -> JInt(o.partlyLateRows.inBatch),
    "partlyLateRowsTotal" -> JInt(o.partlyLateRows.inAll),
    "partlyLateWindows" -> JInt(o.partlyLateWindows.inBatch),
    "partlyLateWindowsTotal" -> JInt(o.partlyLateWindows.inAll),
    "lateness" -> o.lateness.fold[JValue](JNull)(of(_)),
    "stateRows" -> number(o.state.map(_.rows)),
    "stateBytes" -> number(o.state.map(_.bytes)),
    "nextWindowEnd" -> number(o.nextEndMs)
  )

  private def fields[T](all: SortedMap[String, T])(one: T => JObject): List[JField] =
    named(all)((_, value) => one(value))

  private def named[T](all: SortedMap[String, T])(one: (String, T) => JObject): List[JField] =
    all.toList.map { case (name, value) => name -> one(name, value) }

  private def number(n: Option[Long]): JValue = n.fold[JValue](JNull)(JInt(_))

  private def text(s: Option[String]): JValue = s.fold[JValue](JNull)(JString(_))

  /** The batch that was written; `None` if it is not one, or lacks a field. */
  def readBatch(text: String): Option[BatchFigures] = for {
    json <- parseOpt(text).map(new Fields(_))
    id <- json.long("batchId")
    wallClockMs <- json.long("wallClock")
    batchTimeMs <- json.long("batchTime")
    inputRows <- json.long("inputRows")
    watermarks <- json.all("watermarks")(readWatermark)
    operators <- json.all("operators")(readOperator)
  } yield BatchFigures(id, wallClockMs, batchTimeMs, inputRows, watermarks, operators)

  /** The events that were written; without those that are not. */
  def readEvents(text: String): Seq[TimeEvent] = for {
    json <- parseOpt(text).toSeq.flatMap(_.children).map(new Fields(_))
    atMs <- json.long("at")
    kind <- json.text("kind")
    name <- json.text("name")
    count <- json.long("count")
    words <- json.text("text")
  } yield TimeEvent(atMs, kind, name, json.texts("substreams"), count, words)

  private def readWatermark(json: Fields): Option[WatermarkFigures] = for {
    key <- json.long("key")
    idle <- json.boolean("idle")
    heldBackMs <- json.long("heldBackMs")
    active <- json.long("activeSubstreams")
    idles <- json.long("idleSubstreams")
    unread <- json.long("unreadSubstreams")
    movedAtMs <- json.long("movedAt")
    future <- json.count("futureEvents")
  } yield WatermarkFigures(
    key.toInt,
    json.long("watermark"),
    idle,
    json.text("heldBackBy"),
    json.long("heldBackSince"),
    heldBackMs,
    active.toInt,
    idles.toInt,
    unread.toInt,
    movedAtMs,
    future,
    json.longs("holders")
  )

  private def readOperator(json: Fields): Option[OperatorFigures] = for {
    key <- json.long("key")
    idle <- json.boolean("idle")
    by <- json.text("heldBackBy")
    late <- json.count("lateRows")
    partlyLateRows <- json.count("partlyLateRows")
    partlyLateWindows <- json.count("partlyLateWindows")
  } yield OperatorFigures(
    key.toInt,
    json.long("watermark"),
    idle,
    by,
    json.long("evictionWatermark"),
    json.text("evictionHeldBackBy"),
    json.long("nextWindowEnd"),
    late,
    partlyLateRows,
    partlyLateWindows,
    readLateness(json),
    for (rows <- json.long("stateRows"); bytes <- json.long("stateBytes"))
      yield StateSize(rows, bytes)
  )

  private def readLateness(json: Fields): Option[LatenessFigures] = {
    def one(f: Fields) =
      for (rows <- f.long("rows"); p50 <- f.long("p50Ms"); max <- f.long("maxMs"))
        yield LateRowFigures(rows, p50, max)
    json.inner("lateness").flatMap { f =>
      for (all <- one(f); substreams <- f.all("substreams")(one))
        yield LatenessFigures(all, substreams)
    }
  }

  /** The fields of an object. */
  private final class Fields(json: JValue) {

    def long(name: String): Option[Long] = Some(json \ name).collect { case JInt(n) => n.toLong }

    def boolean(name: String): Option[Boolean] = Some(json \ name).collect { case JBool(b) => b }

    def text(name: String): Option[String] = Some(json \ name).collect { case JString(s) => s }

    def texts(name: String): Seq[String] = (json \ name).children.collect { case JString(s) => s }

    def count(name: String): Option[Count] =
      for (inBatch <- long(name); inAll <- long(s"${name}Total")) yield Count(inBatch, inAll)

    def inner(name: String): Option[Fields] = Some(json \ name).collect { case o: JObject =>
      new Fields(o)
    }

    /** The numbers by name. */
    def longs(name: String): SortedMap[String, Long] = json \ name match {
      case JObject(fields) => SortedMap.from(fields.collect { case (n, JInt(i)) => n -> i.toLong })
      case _               => SortedMap.empty
    }

    /** `None` if one of them cannot be read. */
    def all[T](name: String)(one: Fields => Option[T]): Option[SortedMap[String, T]] =
      json \ name match {
        case JObject(fields) =>
          val read = fields.flatMap { case (key, value) => one(new Fields(value)).map(key -> _) }
          Option.when(read.size == fields.size)(SortedMap.from(read))
        case _ => None
      }
  }
}
