package tidegate.core.clock

import scala.util.control.NonFatal

import org.json4s.JsonAST.{JBool, JField, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}
import tidegate.core.window.WindowGrid

/** The text of a [[ClockState]]: JSON on one line. Reads what every version since 0.1.0 wrote. */
object ClockCodec {

  /** Why a text cannot be read. */
  sealed trait Unreadable

  /** The text is not from a clock. */
  case object Foreign extends Unreadable

  /** The text was written by a newer version, in a format above `ClockCodec.Format`. */
  final case class Newer(format: Int) extends Unreadable

  /**
   * The field by which the clock recognizes its own text in a log that lists sources by position.
   */
  val Marker = "tidegateClock"

  /** The format that is written, and the highest that is read. */
  val Format = 1

  def write(state: ClockState): String = {
    val nodes = state.nodes.map { case (name, mark) =>
      name -> written(mark, state.substreams.getOrElse(name, NodeState.empty))
    }
    compact(
      JObject(
        Marker -> JInt(Format),
        "savedAt" -> JInt(state.savedAtMs),
        "nodes" -> sorted(nodes),
        "operators" -> sorted(state.operators.view.mapValues(written).toMap),
        "unions" -> sorted(state.unions.view.mapValues(JInt(_)).toMap),
        "looks" -> JInt(state.looks)
      )
    )
  }

  def read(text: String): Either[Unreadable, ClockState] = {
    val fields = parseOpt(text).collect { case o: JObject => o.obj.toMap }.getOrElse(Map.empty)
    fields.get(Marker) match {
      case Some(JInt(format)) if format == Format =>
        try Right(read(fields))
        catch { case NonFatal(_) => Left(Foreign) }
      case Some(JInt(format)) if format > Format => Left(Newer(format.toInt))
      case _                                     => Left(Foreign)
    }
  }

  private def sorted(fields: Map[String, JValue]): JObject =
    JObject(fields.toList.sortBy(_._1).map { case (name, value) => JField(name, value) })

  private def written(mark: NodeMark, state: NodeState): JValue = JObject(
    "key" -> JInt(mark.key.toInt),
    "watermark" -> optional(mark.watermarkMs),
    "idle" -> JBool(mark.idle),
    "substreams" -> JInt(state.substreams.size),
    "state" -> JString(NodeStateCodec.write(state))
  )

  private def written(mark: OperatorMark): JValue = {
    val fields = List[JField](
      "key" -> JInt(mark.key.toInt),
      "watermark" -> optional(mark.watermarkMs),
      "eviction" -> optional(mark.evictionMs),
      "idle" -> JBool(mark.idle)
    )
    JObject(fields ++ mark.frames.map(grid => JField("frames", written(grid))))
  }

  private def written(grid: WindowGrid): JValue = JObject(
    "size" -> JInt(grid.sizeMs),
    "slide" -> JInt(grid.slideMs),
    "offset" -> JInt(grid.offsetMs)
  )

  private def read(fields: Map[String, JValue]): ClockState = {
    val nodes = objects(fields, "nodes")
    ClockState(
      nodes.map { case (name, f) =>
        name -> NodeMark(long(f, "key").get.toByte, long(f, "watermark"), f("idle") == JBool.True)
      },
      nodes.map { case (name, f) =>
        name -> NodeStateCodec.read(f("state").asInstanceOf[JString].s)
      },
      objects(fields, "operators").map { case (name, f) => name -> operatorMark(f) },
      values(fields, "unions").collect { case (name, JInt(ms)) => name -> ms.toLong },
      long(fields, "looks").getOrElse(0L),
      long(fields, "savedAt").getOrElse(0L)
    )
  }

  private def operatorMark(fields: Map[String, JValue]): OperatorMark = OperatorMark(
    long(fields, "key").get.toByte,
    long(fields, "watermark"),
    long(fields, "eviction"),
    fields.get("idle").contains(JBool.True),
    windows(values(fields, "frames"))
  )

  private def windows(fields: Map[String, JValue]): Option[WindowGrid] =
    for {
      size <- long(fields, "size")
      slide <- long(fields, "slide")
      offset <- long(fields, "offset")
    } yield WindowGrid(slide, offset, size)

  private def objects(fields: Map[String, JValue], name: String): Map[String, Map[String, JValue]] =
    values(fields, name).collect { case (field, o: JObject) => field -> o.obj.toMap }

  private def values(fields: Map[String, JValue], name: String): Map[String, JValue] =
    fields.get(name).collect { case o: JObject => o.obj.toMap }.getOrElse(Map.empty)

  private def optional(ms: Option[Long]): JValue = ms.fold[JValue](JNull)(JInt(_))

  private def long(fields: Map[String, JValue], name: String): Option[Long] =
    fields.get(name).collect { case JInt(n) => n.toLong }
}
