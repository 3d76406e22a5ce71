package tidegate.clock

import org.apache.spark.sql.connector.read.streaming.Offset
import org.json4s.JsonAST.{JBool, JField, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}
import tidegate.columns.WindowGrid
import tidegate.errors.CheckpointErrors

/**
 * The offset of the clock: a query's vector of keyed watermarks.
 *
 * Two offsets are equal if nothing in them can change a result: the marks of the operators, and of
 * the nodes in `exact` the substreams too. Everything else rides along.
 *
 * @param unions
 *   the coalesced watermarks of unions, in epoch ms: they depend on which inputs were idle when
 * @param states
 *   what is known of the substreams of each node
 * @param savedAtMs
 *   the wall clock when it was made, in epoch ms
 * @param exact
 *   the nodes whose input cannot be read again after a restart
 * @param passive
 *   equal to every other offset: the clock starts no batch by itself
 * @param looks
 *   how often a run that is to end with the end of time had to look whether it is at its end: each
 *   look takes a batch
 */
final class ClockOffset(
    val nodes: Map[String, NodeMark],
    val operators: Map[String, OperatorMark],
    val unions: Map[String, Long],
    val states: Map[String, NodeState],
    val savedAtMs: Long,
    exact: Set[String] = Set.empty,
    private val passive: Boolean = false,
    val looks: Long = 0L
) extends Offset {
  import ClockOffset._

  private def exactStates: Map[String, Set[(String, Vector[Long])]] =
    states.collect { case (name, state) if exact(name) => name -> state.substreams.toSet }

  private def sameTimes(that: ClockOffset): Boolean =
    operators.keySet == that.operators.keySet &&
      operators.forall { case (name, mark) => mark.sameTimes(that.operators(name)) }

  override lazy val json: String = {
    val nodeFields = nodes.toList.sortBy(_._1).map { case (name, mark) =>
      val state = states.getOrElse(name, NodeState.empty)
      JField(
        name,
        JObject(
          "key" -> JInt(mark.key.toInt),
          "watermark" -> optional(mark.watermarkMs),
          "idle" -> JBool(mark.idle),
          "substreams" -> JInt(state.substreams.size),
          "state" -> JString(NodeState.encode(state))
        )
      )
    }
    val operatorFields = operators.toList.sortBy(_._1).map { case (name, mark) =>
      val fields = List[JField](
        "key" -> JInt(mark.key.toInt),
        "watermark" -> optional(mark.watermarkMs),
        "eviction" -> optional(mark.evictionMs),
        "idle" -> JBool(mark.idle)
      )
      JField(name, JObject(fields ++ mark.frames.map(grid => JField("frames", written(grid)))))
    }
    val unionFields = unions.toList.sortBy(_._1).map { case (name, ms) => JField(name, JInt(ms)) }
    compact(
      JObject(
        Marker -> JInt(Format),
        "savedAt" -> JInt(savedAtMs),
        "nodes" -> JObject(nodeFields),
        "operators" -> JObject(operatorFields),
        "unions" -> JObject(unionFields),
        "looks" -> JInt(looks)
      )
    )
  }

  override def equals(other: Any): Boolean = other match {
    case that: ClockOffset =>
      (this eq that) || passive || that.passive ||
      (looks == that.looks && sameTimes(that) && exactStates == that.exactStates)
    case that: Offset => json == that.json
    case _            => false
  }

  // A passive offset equals all others, so that only a constant keeps the contract.
  override def hashCode(): Int = Marker.hashCode

  override def toString: String = json
}

object ClockOffset {

  /** The field by which the clock knows its own offsets in a log that goes by position. */
  private val Marker = "tidegateClock"
  private val Format = 1

  val empty = new ClockOffset(Map.empty, Map.empty, Map.empty, Map.empty, savedAtMs = 0L)

  /**
   * Reads an offset from the offset log.
   *
   * @throws AnalysisException
   *   if the text is not an offset of the clock, or of a newer version
   */
  def parse(json: String): ClockOffset = {
    val fields = parseOpt(json).collect { case o: JObject => o.obj.toMap }.getOrElse(Map.empty)
    fields.get(Marker) match {
      case Some(JInt(format)) if format == Format => read(fields)
      case Some(JInt(format)) if format > Format  =>
        throw CheckpointErrors.newerOffset(format.toInt, Format)
      case _ => throw CheckpointErrors.foreignOffset(json)
    }
  }

  private def read(fields: Map[String, JValue]): ClockOffset = {
    val nodes = objects(fields, "nodes")
    new ClockOffset(
      nodes.map { case (name, f) =>
        name -> NodeMark(long(f, "key").get.toByte, long(f, "watermark"), f("idle") == JBool.True)
      },
      objects(fields, "operators").map { case (name, f) =>
        name -> OperatorMark(
          long(f, "key").get.toByte,
          long(f, "watermark"),
          long(f, "eviction"),
          f.get("idle").contains(JBool.True),
          f.get("frames").collect { case o: JObject => o.obj.toMap }.flatMap(windows)
        )
      },
      fields
        .get("unions")
        .toSeq
        .collect { case o: JObject => o.obj }
        .flatten
        .collect { case (name, JInt(ms)) => name -> ms.toLong }
        .toMap,
      nodes.map { case (name, f) =>
        name -> NodeState.decode(f("state").asInstanceOf[JString].s)
      },
      long(fields, "savedAt").getOrElse(0L),
      looks = long(fields, "looks").getOrElse(0L)
    )
  }

  private def objects(fields: Map[String, JValue], name: String): Map[String, Map[String, JValue]] =
    fields
      .get(name)
      .toSeq
      .collect { case o: JObject => o.obj }
      .flatten
      .collect { case (field, o: JObject) =>
        field -> o.obj.toMap
      }
      .toMap

  private def written(grid: WindowGrid): JValue = JObject(
    "size" -> JInt(grid.sizeMs),
    "slide" -> JInt(grid.slideMs),
    "offset" -> JInt(grid.offsetMs)
  )

  private def windows(fields: Map[String, JValue]): Option[WindowGrid] =
    for {
      size <- long(fields, "size")
      slide <- long(fields, "slide")
      offset <- long(fields, "offset")
    } yield WindowGrid(slide, offset, size)

  private def optional(ms: Option[Long]): JValue = ms.fold[JValue](JNull)(JInt(_))

  private def long(fields: Map[String, JValue], name: String): Option[Long] =
    fields.get(name).collect { case JInt(n) => n.toLong }
}
