package tidegate.core.clock

import org.json4s.JsonAST.{JArray, JBool, JField, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}
import tidegate.core.policy.PolicySpec
import tidegate.core.window.WindowGrid

/**
 * The text of a [[ClockState]]: JSON on one line, with the number of its format. A text that is not
 * as it was written, by a missing field or a number out of range, is damaged.
 */
object ClockCodec {

  /** Why a text cannot be read. */
  sealed trait Unreadable

  /** The text is not from a clock. */
  case object Foreign extends Unreadable

  /** The text was written by a newer version, in a format above `ClockCodec.Format`. */
  final case class Newer(format: Int) extends Unreadable

  /**
   * It is the text of a clock, but not as it was written.
   *
   * @param node
   *   the watermark node that is damaged; `None` if it is not only one
   * @param what
   *   which field has which value, and what it has to be
   */
  final case class Damaged(node: Option[String], what: String) extends Unreadable

  /**
   * The field by which the clock recognizes its own text in a log that lists sources by position.
   */
  val Marker = "tidegateClock"

  /**
   * How to read earlier formats: the upgrade at place `n` makes a text of format `n + 1` one of
   * format `n + 2`.
   */
  private val Upgrades = Seq.empty[JObject => JObject]

  /** The format that is written, and the highest that is read. */
  val Format: Int = Upgrades.size + 1

  /** A higher format is damage, and not that of a newer version. */
  private val HighestFormat = 999

  def write(state: ClockState): String = {
    val nodes = state.nodes.map { case (name, mark) =>
      name -> written(mark, state.substreams.getOrElse(name, NodeState.empty))
    }
    val places =
      if (state.places.isEmpty) None
      else Some(JField("places", sorted(state.places.view.mapValues(written).toMap)))
    compact(
      JObject(
        List[JField](
          Marker -> JInt(Format),
          "savedAt" -> JInt(state.savedAtMs),
          "nodes" -> sorted(nodes),
          "operators" -> sorted(state.operators.view.mapValues(written).toMap),
          "unions" -> sorted(state.unions.view.mapValues(JInt(_)).toMap),
          "looks" -> JInt(state.looks)
        ) ++ places ++ state.skipped.map(times => JField("skipped", written(times)))
      )
    )
  }

  def read(text: String): Either[Unreadable, ClockState] = read(text, Upgrades)

  private[clock] def read(
      text: String,
      upgrades: Seq[JObject => JObject]
  ): Either[Unreadable, ClockState] =
    parseOpt(text) match {
      case Some(json: JObject) if json.obj.exists(_._1 == Marker) =>
        try read(json, upgrades)
        catch { case e: JsonFields.Unexpected => Left(Damaged(None, e.getMessage)) }
      // No other source has the marker in its text.
      case None if text.contains(s""""$Marker"""") =>
        Left(Damaged(None, "The text is no JSON: it is cut off, or was changed."))
      case _ => Left(Foreign)
    }

  private def read(
      json: JObject,
      upgrades: Seq[JObject => JObject]
  ): Either[Unreadable, ClockState] = {
    val format = new JsonFields(json).int(Marker, 1, HighestFormat)
    if (format > upgrades.size + 1) Left(Newer(format))
    else {
      val fields = new JsonFields(upgrades.drop(format - 1).foldLeft(json)((old, up) => up(old)))
      readNodes(fields.obj("nodes")).map(state(fields, _))
    }
  }

  private def state(fields: JsonFields, nodes: Map[String, (NodeMark, NodeState)]): ClockState = {
    val operators = fields.obj("operators")
    val unions = fields.obj("unions")
    ClockState(
      nodes.view.mapValues(_._1).toMap,
      nodes.view.mapValues(_._2).toMap,
      operators.names.map(name => name -> operatorMark(operators.obj(name))).toMap,
      unions.names.map(name => name -> unions.long(name)).toMap,
      fields.long("looks"),
      fields.long("savedAt"),
      if (fields.has("places")) places(fields.obj("places")) else Map.empty,
      if (fields.has("skipped")) Some(times(fields.obj("skipped"))) else None
    )
  }

  private[clock] def times(fields: JsonFields): ClockTimes = {
    val (nodes, operators) = (fields.obj("nodes"), fields.obj("operators"))
    val unions = fields.obj("unions")
    ClockTimes(
      nodes.names.map(name => name -> nodeMark(nodes.obj(name))).toMap,
      operators.names.map(name => name -> operatorMark(operators.obj(name))).toMap,
      unions.names.map(name => name -> unions.long(name)).toMap
    )
  }

  private def places(fields: JsonFields): Map[String, OperatorPlace] =
    fields.names.map { name =>
      val place = fields.obj(name)
      name -> OperatorPlace(place.text("default"), place.long("state"))
    }.toMap

  private def readNodes(nodes: JsonFields): Either[Damaged, Map[String, (NodeMark, NodeState)]] = {
    val read = nodes.names.toSeq.sorted.map { name =>
      try Right(name -> readNode(nodes.obj(name)))
      catch { case e: JsonFields.Unexpected => Left(Damaged(Some(name), e.getMessage)) }
    }
    read.collectFirst { case Left(damaged) => Left(damaged) }.getOrElse {
      Right(read.collect { case Right(node) => node }.toMap)
    }
  }

  private def readNode(fields: JsonFields): (NodeMark, NodeState) = {
    val mark = nodeMark(fields)
    val substreams = NodeStateCodec.read(fields.text("state")) match {
      case Right(read) if read.size.toLong == fields.long("substreams") => read
      case Right(read)                                                  =>
        fields.refuse("substreams", s"${fields.long("substreams")}", s"${read.size}, as in `state`")
      case Left(what) => fields.refuse("state", what, "the text that Tidegate wrote")
    }
    val origin = if (fields.has("policy")) Some(readOrigin(fields)) else None
    val since = if (fields.has("since")) Some(fields.long("since")) else None
    mark -> NodeState(substreams, origin, since)
  }

  private def readOrigin(fields: JsonFields): NodeOrigin = {
    val policy = fields.obj("policy")
    val spec =
      try PolicySpec(policy.text("name"), policy.longs("durations"))
      catch {
        case e: IllegalArgumentException =>
          fields.refuse("policy", s"none: ${e.getMessage.stripSuffix(".")}", "a known policy")
      }
    NodeOrigin(spec, fields.texts("columns"), fields.longs("sources").map(_.toInt))
  }

  private def nodeMark(fields: JsonFields): NodeMark =
    NodeMark(key(fields), fields.optionalLong("watermark"), fields.boolean("idle"))

  private def key(fields: JsonFields): Byte = fields.int("key", 0, Byte.MaxValue.toInt).toByte

  private def operatorMark(fields: JsonFields): OperatorMark = OperatorMark(
    key(fields),
    fields.optionalLong("watermark"),
    fields.optionalLong("eviction"),
    fields.boolean("idle"),
    if (fields.has("windows")) Some(grid(fields.obj("windows"))) else None,
    if (fields.has("gap")) Some(fields.positive("gap")) else None
  )

  private def grid(fields: JsonFields): WindowGrid = {
    val grows = fields.has("grows") && fields.boolean("grows")
    WindowGrid(fields.positive("slide"), fields.long("offset"), fields.positive("size"), grows)
  }

  private def sorted(fields: Map[String, JValue]): JObject =
    JObject(fields.toList.sortBy(_._1).map { case (name, value) => JField(name, value) })

  private def written(mark: NodeMark, state: NodeState): JValue = {
    val origin = state.origin.toList.flatMap { o =>
      val columns = JArray(o.columns.map(JString(_)).toList)
      val sources = JArray(o.sources.map(JInt(_)).toList)
      List[JField]("policy" -> written(o.policy), "columns" -> columns, "sources" -> sources)
    }
    val since = state.sinceMs.toList.map(ms => JField("since", JInt(ms)))
    JObject(
      written(mark) ++ origin ++ since ++ List[JField](
        "substreams" -> JInt(state.substreams.size),
        "state" -> JString(NodeStateCodec.write(state.substreams))
      )
    )
  }

  private def written(mark: NodeMark): List[JField] = List(
    "key" -> JInt(mark.key.toInt),
    "watermark" -> optional(mark.watermarkMs),
    "idle" -> JBool(mark.idle)
  )

  private[clock] def written(times: ClockTimes): JValue = JObject(
    "nodes" -> sorted(times.nodes.view.mapValues(mark => JObject(written(mark))).toMap),
    "operators" -> sorted(times.operators.view.mapValues(written).toMap),
    "unions" -> sorted(times.unions.view.mapValues(JInt(_)).toMap)
  )

  private def written(policy: PolicySpec): JValue =
    JObject(
      "name" -> JString(policy.name),
      "durations" -> JArray(policy.durationsMs.map(JInt(_)).toList)
    )

  private def written(mark: OperatorMark): JValue = {
    val fields = List[JField](
      "key" -> JInt(mark.key.toInt),
      "watermark" -> optional(mark.watermarkMs),
      "eviction" -> optional(mark.evictionMs),
      "idle" -> JBool(mark.idle)
    )
    JObject(
      fields ++ mark.frames.map(grid => JField("windows", written(grid))) ++
        mark.gapMicros.map(micros => JField("gap", JInt(micros)))
    )
  }

  private def written(place: OperatorPlace): JValue =
    JObject("default" -> JString(place.default), "state" -> JInt(place.state))

  private def written(grid: WindowGrid): JValue = {
    val fields = List[JField](
      "size" -> JInt(grid.sizeMs),
      "slide" -> JInt(grid.slideMs),
      "offset" -> JInt(grid.offsetMs)
    )
    JObject(fields ++ Option.when(grid.grows)(JField("grows", JBool(true))))
  }

  private def optional(ms: Option[Long]): JValue = ms.fold[JValue](JNull)(JInt(_))
}
