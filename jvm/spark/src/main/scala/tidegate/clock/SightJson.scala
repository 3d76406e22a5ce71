package tidegate.clock

import org.json4s.JsonAST.{JArray, JBool, JField, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}
import tidegate.core.EndOfTime
import tidegate.core.clock.{NodeBrief, NodeMark, OperatorMark, OperatorView}
import tidegate.core.sight.{BatchSight, Count, OperatorSight, SightEvent, StateSize, WatermarkSight}

/** What a batch did to time as JSON, for Python and for Spark's progress; times in epoch ms. */
private[tidegate] object SightJson {

  def write(batches: Seq[BatchSight]): String = compact(JArray(batches.toList.map(json)))

  def write(batch: BatchSight): String = compact(json(batch))

  /** How far a watermark is behind the wall clock in ms; `None` without one, and at its end. */
  def lagMs(watermarkMs: Option[Long], wallClockMs: Long): Option[Long] =
    watermarkMs.filter(_ < EndOfTime.Ms).map(wallClockMs - _)

  private def json(batch: BatchSight): JObject = JObject(
    "batchId" -> JInt(batch.batchId),
    "wallClock" -> JInt(batch.wallClockMs),
    "batchTime" -> JInt(batch.batchTimeMs),
    "inputRows" -> JInt(batch.inputRows),
    "watermarks" -> byName(batch.watermarks)(watermark(_, batch.wallClockMs)),
    "operators" -> byName(batch.operators)(operator)
  )

  def writeEvents(events: Seq[SightEvent]): String = compact(JArray(events.toList.map(event)))

  def event(e: SightEvent): JObject = JObject(
    "at" -> JInt(e.atMs),
    "kind" -> JString(e.kind),
    "name" -> JString(e.name),
    "substreams" -> JArray(e.substreams.toList.map(JString(_))),
    "count" -> JInt(e.count),
    "text" -> JString(e.text)
  )

  private def byName[T](all: Map[String, T])(one: T => JObject): JObject =
    JObject(all.toList.sortBy(_._1).map { case (name, value) => JField(name, one(value)) })

  private def watermark(sight: WatermarkSight, wallClockMs: Long): JObject = {
    val brief = sight.brief
    JObject(
      "key" -> JInt(brief.mark.key.toInt),
      "watermark" -> optional(brief.mark.watermarkMs),
      "lagMs" -> optional(lagMs(brief.mark.watermarkMs, wallClockMs)),
      "idle" -> JBool(brief.mark.idle),
      "heldBackBy" -> brief.heldBackBy.fold[JValue](JNull)(JString(_)),
      "heldBackSince" -> optional(brief.heldSinceMs),
      "heldBackMs" -> JInt(brief.heldBackMs),
      "activeSubstreams" -> JInt(brief.active),
      "idleSubstreams" -> JInt(brief.idle),
      "unreadSubstreams" -> JInt(brief.unread),
      "movedAt" -> JInt(brief.movedAtMs),
      "futureEvents" -> JInt(sight.futureEvents.inBatch),
      "futureEventsTotal" -> JInt(sight.futureEvents.inAll)
    )
  }

  private def operator(sight: OperatorSight): JObject = {
    val mark = sight.view.mark
    JObject(
      "key" -> JInt(mark.key.toInt),
      "watermark" -> optional(mark.watermarkMs),
      "idle" -> JBool(mark.idle),
      "heldBackBy" -> JString(sight.view.heldBackBy),
      "evictionWatermark" -> optional(mark.evictionMs),
      "evictionHeldBackBy" -> sight.view.evictionHeldBackBy.fold[JValue](JNull)(JString(_)),
      "lateRows" -> JInt(sight.lateRows.inBatch),
      "lateRowsTotal" -> JInt(sight.lateRows.inAll),
      "stateRows" -> optional(sight.state.map(_.rows)),
      "stateBytes" -> optional(sight.state.map(_.bytes)),
      "nextWindowEnd" -> optional(sight.nextEndMs)
    )
  }

  private def optional(ms: Option[Long]): JValue = ms.fold[JValue](JNull)(JInt(_))

  /** What was written; `None` if it is not, or lacks a field. */
  def read(text: String): Option[BatchSight] = for {
    batch <- parseOpt(text)
    id <- long(batch, "batchId")
    wallClockMs <- long(batch, "wallClock")
    batchTimeMs <- long(batch, "batchTime")
    inputRows <- long(batch, "inputRows")
    watermarks <- all(batch \ "watermarks")(readWatermark)
    operators <- all(batch \ "operators")(readOperator)
  } yield BatchSight(id, wallClockMs, batchTimeMs, inputRows, watermarks, operators)

  /** The events that were written; without those that are not. */
  def readEvents(json: String): Seq[SightEvent] = for {
    e <- parseOpt(json).toSeq.flatMap(_.children)
    atMs <- long(e, "at")
    kind <- text(e, "kind")
    name <- text(e, "name")
    count <- long(e, "count")
    words <- text(e, "text")
  } yield SightEvent(
    atMs,
    kind,
    name,
    (e \ "substreams").children.collect { case JString(s) => s },
    count,
    words
  )

  private def readWatermark(json: JValue): Option[WatermarkSight] = for {
    key <- long(json, "key")
    idle <- boolean(json, "idle")
    heldBackMs <- long(json, "heldBackMs")
    active <- long(json, "activeSubstreams")
    idles <- long(json, "idleSubstreams")
    unread <- long(json, "unreadSubstreams")
    movedAtMs <- long(json, "movedAt")
    future <- count(json, "futureEvents")
  } yield WatermarkSight(
    NodeBrief(
      NodeMark(key.toByte, long(json, "watermark"), idle),
      text(json, "heldBackBy"),
      long(json, "heldBackSince"),
      heldBackMs,
      active.toInt,
      idles.toInt,
      unread.toInt,
      movedAtMs
    ),
    future
  )

  private def readOperator(json: JValue): Option[OperatorSight] = for {
    key <- long(json, "key")
    idle <- boolean(json, "idle")
    by <- text(json, "heldBackBy")
    late <- count(json, "lateRows")
  } yield {
    val mark =
      OperatorMark(key.toByte, long(json, "watermark"), long(json, "evictionWatermark"), idle)
    val size =
      for (rows <- long(json, "stateRows"); bytes <- long(json, "stateBytes"))
        yield StateSize(rows, bytes)
    OperatorSight(
      OperatorView(mark, by, text(json, "evictionHeldBackBy")),
      late,
      size,
      long(json, "nextWindowEnd")
    )
  }

  private def all[T](json: JValue)(one: JValue => Option[T]): Option[Map[String, T]] = json match {
    case JObject(fields) =>
      val read = for ((name, value) <- fields; found <- one(value)) yield name -> found
      Option.when(read.size == fields.size)(read.toMap)
    case _ => None
  }

  private def count(json: JValue, name: String): Option[Count] =
    for (inBatch <- long(json, name); inAll <- long(json, s"${name}Total"))
      yield Count(inBatch, inAll)

  private def long(json: JValue, name: String): Option[Long] =
    Some(json \ name).collect { case JInt(n) => n.toLong }

  private def boolean(json: JValue, name: String): Option[Boolean] =
    Some(json \ name).collect { case JBool(b) => b }

  private def text(json: JValue, name: String): Option[String] =
    Some(json \ name).collect { case JString(s) => s }
}
