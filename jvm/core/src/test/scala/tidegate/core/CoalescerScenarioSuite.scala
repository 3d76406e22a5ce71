package tidegate.core

import org.json4s._

class CoalescerScenarioSuite extends CoalescerScenarios("coalescer")

class KeyedCoalescerScenarioSuite extends CoalescerScenarios("keyed_coalescer")

/** Runs a file of coalescing scenarios; a watermark without a key runs under key 0. */
abstract class CoalescerScenarios(component: String) extends ScenarioSuite(component) {
  import Scenarios._

  private val anyKey: Byte = 0

  override protected def construct(setup: JValue): Scenario = new Scenario {
    private val coalescer = new KeyedWatermarkCoalescer(time(setup \ "queues").toInt)

    override def act(step: JValue): Seq[WatermarkSignal] = {
      def input = time(step \ "queue").toInt
      text(step \ "op") match {
        case "wm"    => coalescer.observeWatermark(input, keyOf(step), time(step \ "value"))
        case "idle"  => coalescer.observeIdle(input)
        case "event" => coalescer.observeEvent(input)
        case "done"  => coalescer.observeDone(input)
        case "state" => Nil
        case other   => fail(s"unknown op $other")
      }
    }

    override def check(step: JValue, expect: JValue): Any = {
      val signals = act(step)
      ifPresent(expect \ "emit") {
        case JArray(items) => assertResult(items.map(signal).sortBy(order))(signals.sortBy(order))
        case single        => assertResult(optionalTime(single).toList)(times(signals))
      }
      ifPresent(expect \ "forward_idle") { value =>
        assertResult(flag(value))(signals.lastOption.contains(Idle))
      }
      ifPresent(expect \ "coalesced") { value =>
        assertResult(optionalTime(value))(coalescer.coalesced(anyKey))
      }
      ifPresent(expect \ "top") { value =>
        assertResult(optionalTime(value))(coalescer.topObserved(anyKey))
      }
      ifPresent(expect \ "keys") { value =>
        val known = (0 to 127).filter(key => coalescer.topObserved(key.toByte).isDefined)
        assertResult(value.asInstanceOf[JArray].arr.map(time(_).toInt))(known)
      }
    }
  }

  private def keyOf(step: JValue): Byte = step \ "key" match {
    case JNothing => anyKey
    case key      => time(key).toByte
  }

  private def signal(item: JValue): WatermarkSignal =
    if (item \ "idle" == JBool(true)) Idle else Watermark(keyOf(item), time(item \ "wm"))

  private def order(signal: WatermarkSignal): Int = signal match {
    case Watermark(key, _) => key.toInt
    case Idle              => Int.MaxValue
  }

  private def times(signals: Seq[WatermarkSignal]): Seq[Long] =
    signals.collect { case Watermark(_, timestampMs) => timestampMs }
}
