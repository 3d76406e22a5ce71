package tidegate.core.async

import scala.collection.mutable

import org.json4s._
import tidegate.core.{Idle, Scenario, ScenarioSuite, Scenarios, Watermark}

/** Runs the scenarios of asynchronous calls. Equal items are answered in the order of entry. */
class AsyncTransformScenarioSuite extends ScenarioSuite("async_transform") {
  import Scenarios._

  override protected def construct(setup: JValue): Scenario = new Scenario {
    private val isOrdered = text(setup \ "mode") match {
      case "ordered"   => true
      case "unordered" => false
      case other       => fail(s"unknown mode $other")
    }
    private val calls =
      AsyncTransform[String](isOrdered, time(setup \ "max_in_flight").toInt)
    private val waiting = mutable.Map.empty[String, Vector[Long]].withDefaultValue(Vector.empty)
    private val unknownRow = -1L

    override def act(step: JValue): (Boolean, Seq[AsyncOutput[String]]) =
      text(step \ "op") match {
        case "item" => (enter(text(step \ "item")), Nil)
        case "wm"   =>
          val key = if (step \ "key" == JNothing) 0L else time(step \ "key")
          (true, calls.observeWatermark(key.toByte, time(step \ "value")))
        case "idle"     => (true, calls.observeIdle())
        case "response" => (true, respond(step))
        case other      => fail(s"unknown op $other")
      }

    private def enter(item: String): Boolean = {
      val row = calls.offer()
      waiting(item) ++= row
      row.isDefined
    }

    private def respond(step: JValue): Seq[AsyncOutput[String]] = {
      val item = text(step \ "item")
      val row = waiting(item).headOption.getOrElse(unknownRow)
      waiting(item) = waiting(item).drop(1)
      step \ "error" match {
        case JNothing => calls.answer(row, item)
        case error    => calls.fail(row, new IllegalStateException(s"The call failed: $error."))
      }
    }

    override def check(step: JValue, expect: JValue): Any = {
      val (accepted, out) = act(step)
      ifPresent(expect \ "accepted")(value => assertResult(flag(value))(accepted))
      ifPresent(expect \ "out") { value =>
        assertResult(byKey(value.asInstanceOf[JArray].arr.map(expected)))(byKey(out.map(found)))
      }
      ifPresent(expect \ "in_flight")(n => assertResult(time(n))(calls.inFlight.toLong))
    }
  }

  private type Out = (String, Int, Long)

  private def expected(out: JValue): Out = out \ "item" match {
    case JString(item)                    => (item, -1, 0)
    case _ if out \ "idle" == JBool(true) => ("", Byte.MaxValue + 1, 0)
    case _ if out \ "key" == JNothing     => ("", 0, time(out \ "wm"))
    case _                                => ("", time(out \ "key").toInt, time(out \ "wm"))
  }

  private def found(out: AsyncOutput[String]): Out = out match {
    case Answer(_, item)            => (item, -1, 0)
    case Passed(Watermark(key, ms)) => ("", key.toInt, ms)
    case Passed(Idle)               => ("", Byte.MaxValue + 1, 0)
  }

  /** Sorts the watermarks between two items by their keys: their order is not significant. */
  private def byKey(out: Seq[Out]): Seq[Out] = {
    val place = out.scanLeft(0)((n, o) => if (o._2 < 0) n + 1 else n).tail
    out.zip(place).sortBy { case ((_, key, _), n) => (n, key) }.map(_._1)
  }
}
