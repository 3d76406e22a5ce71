package tidegate.core.policy

import org.json4s._
import tidegate.core.policy.PolicyOracle.{Call, Event, Poll}
import tidegate.core.{Scenario, ScenarioSuite, Scenarios}

class PolicyScenarioSuite extends ScenarioSuite("policies") {
  import Scenarios._

  override protected def construct(setup: JValue): Scenario = new Scenario {
    private def parameter(name: String): Long = time(setup \ name)

    private val policy = text(setup \ "policy") match {
      case "withFixedLag"        => new FixedLag(parameter("lag"))
      case "limitingLagAndDelay" =>
        new LimitingLagAndDelay(parameter("lag"), parameter("max_delay_ms"))
      case "limitingLagAndLull" =>
        new LimitingLagAndLull(parameter("lag"), parameter("max_lull_ms"))
      case "limitingTimestampAndWallClockLag" =>
        new LimitingTimestampAndWallClockLag(
          parameter("timestamp_lag"),
          parameter("wall_clock_lag")
        )
      case other => fail(s"unknown policy $other")
    }
    private var nowMs = optionalTime(setup \ "start_now").getOrElse(0L)
    private var history = Vector.empty[Call]

    override def act(step: JValue): Option[Long] = {
      ifPresent(step \ "now")(value => nowMs = time(value))
      text(step \ "op") match {
        case "event" =>
          history :+= Event(time(step \ "ts"), nowMs)
          policy.observeEvent(time(step \ "ts"), nowMs)
        case "current" =>
          history :+= Poll(nowMs)
          policy.currentWatermark(nowMs)
        case other => fail(s"unknown op $other")
      }
    }

    override def check(step: JValue, expect: JValue): Any = {
      val watermark = act(step)
      setup \ "samples" match {
        case JInt(samples) if !onGrid(samples.toLong) =>
          assertWithinBucket(samples.toLong, watermark)
        case _ => assertResult(optionalTime(expect \ "wm"))(watermark)
      }
    }

    /** Whether every moment so far starts a bucket here as well as where the case was written. */
    private def onGrid(samples: Long): Boolean = {
      val maxDelayMs = parameter("max_delay_ms")
      val gridMs = maxDelayMs / samples
      maxDelayMs % samples == 0 && gridMs * 16 >= maxDelayMs &&
      history.forall(call => (call.nowMs - history.head.nowMs) % gridMs == 0)
    }

    private def assertWithinBucket(samples: Long, watermark: Option[Long]): Any = {
      val maxDelayMs = parameter("max_delay_ms")
      val earlyMs = math.max(maxDelayMs / samples, maxDelayMs / 16)
      val latest = PolicyOracle.lagAndDelay(parameter("lag"), maxDelayMs)(history)
      val earliest = PolicyOracle.lagAndDelay(parameter("lag"), maxDelayMs - earlyMs)(history)
      assert(watermark >= latest && watermark <= earliest, s"from $latest to $earliest")
    }
  }

  private implicit class Ordered(left: Option[Long]) {
    def >=(right: Option[Long]): Boolean = Ordering[Option[Long]].gteq(left, right)
    def <=(right: Option[Long]): Boolean = Ordering[Option[Long]].lteq(left, right)
  }
}
