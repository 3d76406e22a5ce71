package tidegate.core.policy

import org.json4s._
import tidegate.core.{Scenario, ScenarioSuite, Scenarios}

class EmissionScenarioSuite extends ScenarioSuite("emission") {
  import Scenarios._

  override protected def construct(setup: JValue): Scenario = new Scenario {
    private val policy = text(setup \ "policy") match {
      case "emitByFrame" =>
        val offsetMs = optionalTime(setup \ "offset").getOrElse(0L)
        EmissionSpec.byFrame(time(setup \ "frame"), offsetMs)
      case "emitByMinStep" => EmissionSpec.byMinStep(time(setup \ "min_step"))
      case other           => fail(s"unknown policy $other")
    }
    private var last = Option.empty[Long]

    override def act(step: JValue): Option[Long] = {
      val emitted = Some(time(step \ "current")).filter(policy.admits(_, last))
      last = emitted.orElse(last)
      emitted
    }

    override def check(step: JValue, expect: JValue): Any =
      assertResult(optionalTime(expect \ "emit"))(act(step))
  }
}
