package tidegate.core.clock

import scala.collection.mutable

import org.json4s._
import tidegate.core._
import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * Runs `tests/scenarios/event_time_mapper.json` on the clock of a watermark node: the partitions
 * are parts that its source reports, an event is a batch of one row, and after each step the clock
 * ticks with the wall clock of the step. A time is in ms.
 *
 *   - An event always passes, so only watermarks and idle marks are compared, in their order.
 *   - The scenarios floor a watermark to its frame. Here the current value becomes visible, when it
 *     enters a new frame: what is compared is the frame.
 *   - A frame of 0 stands for nobody who uses the watermark. Here it is an operator that is not
 *     there, so that only idle marks are compared. An idle timeout of 0 stands for none.
 *   - What is saved and restored here is the checkpoint of the whole query, and what is asked for
 *     is the view of a node: scenarios with `restore` and `get` are cancelled, with this reason.
 */
class EventTimeMapperScenarioSuite extends ScenarioSuite("event_time_mapper") {
  import EventTimeMapperScenarioSuite._
  import Scenarios._

  override protected def construct(setup: JValue): Scenario = new Mapper(setup)

  private final class Mapper(setup: JValue) extends Scenario {
    private val frame = time(setup \ "frame")
    private val node = new SubstreamClock(
      NodeSpec(
        "events",
        Key,
        PolicySpec("fixedLag", Seq(time(setup \ "lag"))),
        if (frame > 0) EmissionSpec.byFrame(frame) else EmissionSpec.byMinStep(1L),
        idleTimeoutMs = Some(time(setup \ "idle_timeout_ms")).filter(_ > 0),
        hasParts = true
      ),
      NodeState.empty,
      savedWatermarkMs = None,
      pausedMs = 0L,
      startedAtMs = 0L
    )
    private val partitions = mutable.ArrayBuffer.empty[String]
    private var added = 0
    private var reported = Map.empty[String, Boolean]

    add(time(setup \ "partitions").toInt, nowMs = 0L)

    /** The first row of a new partition has no time: it holds time back until there is one. */
    private def add(count: Int, nowMs: Long): Unit = {
      val names = (added until added + count).map(_.toString)
      added += count
      partitions ++= names
      node.observe(NodeObservation(names.map(_ -> SubstreamClock.NoTime).toMap), nowMs, nowMs)
      reported = readUp
    }

    private def readUp: Map[String, Boolean] = partitions.map(_ -> false).toMap

    override def act(step: JValue): Seq[WatermarkSignal] = {
      val (lastMs, wasIdle) = (node.watermarkMs, node.isIdle)
      val nowMs = time(step \ "now")
      text(step \ "op") match {
        case "event" =>
          val name = partitions(time(step \ "partition").toInt)
          val micros = Math.multiplyExact(time(step \ "ts"), 1000L)
          node.observe(NodeObservation(Map(name -> micros)), nowMs, nowMs)
        case "idle_tick" => ()
        case "add"       => add(countOf(step), nowMs)
        case "remove"    =>
          partitions.remove(time(step \ "partition").toInt)
          reported = readUp
        case op @ ("restore" | "get") => cancel(s"$op is of a checkpoint here, not of a partition.")
        case other                    => fail(s"unknown op $other")
      }
      // The same object as long as there are the same partitions, as a source does.
      node.expect(Some(reported), nowMs)
      node.tick(nowMs, Some(nowMs))
      node.watermarkMs.filterNot(lastMs.contains(_)).map(Watermark(Key, _)).toSeq ++
        Option.when(node.isIdle && !wasIdle)(Idle)
    }

    override def check(step: JValue, expect: JValue): Any = {
      val expected = expect \ "out" match {
        case JArray(items) => items.flatMap(signal)
        case other         => fail(s"a list was expected, not $other")
      }
      val found = act(step)
      assertResult(expected.map(framed))(found.filter(_ == Idle || frame > 0).map(framed))
    }

    private def framed(signal: WatermarkSignal): WatermarkSignal = signal match {
      case Watermark(key, ms) => Watermark(key, Math.floorDiv(ms, frame) * frame)
      case Idle               => Idle
    }
  }

  private def countOf(step: JValue): Int =
    Seq("count", "partitions").map(step \ _).collectFirst { case JInt(n) => n.toInt }.getOrElse(1)

  private def signal(item: JValue): Option[WatermarkSignal] =
    if (item \ "idle" == JBool(true)) Some(Idle)
    else if (item \ "event" != JNothing) None
    else Some(Watermark(time(item \ "key").toByte, time(item \ "wm")))
}

object EventTimeMapperScenarioSuite {
  private val Key: Byte = 0
}
