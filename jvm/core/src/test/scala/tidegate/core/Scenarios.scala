package tidegate.core

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.json4s._
import org.json4s.jackson.JsonMethods
import org.scalatest.funsuite.AnyFunSuite

/** Runs `tests/scenarios/<component>.json`: one test per case, titled with the case's name. */
abstract class ScenarioSuite(component: String) extends AnyFunSuite {
  import Scenarios._

  /** Makes the thing under test, as the case's `given` says. */
  protected def construct(setup: JValue): Scenario

  (load(component) \ "cases").asInstanceOf[JArray].arr.foreach { scenario =>
    test(text(scenario \ "name"))(run(scenario))
  }

  private def run(scenario: JValue): Unit =
    scenario \ "expect_construct" \ "error" match {
      case JString(code) => expectError(code)(construct(scenario \ "given"))
      case _             =>
        val runner = construct(scenario \ "given")
        (scenario \ "steps").asInstanceOf[JArray].arr.zipWithIndex.foreach { case (step, index) =>
          withClue(s"step $index, ${JsonMethods.compact(step)}: ") {
            step \ "expect" \ "error" match {
              case JString(code) => expectError(code)(runner.act(step \ "do"))
              case _             => runner.check(step \ "do", step \ "expect")
            }
          }
        }
    }

  private def expectError(code: String)(body: => Any): Unit = {
    val error = intercept[RuntimeException](body)
    assert(error.getMessage.endsWith("."), "the message is a sentence")
    code match {
      case "non_monotonic_watermark" => assert(error.isInstanceOf[NonMonotonicWatermarkException])
      case _                         =>
        assert(
          error.isInstanceOf[IllegalArgumentException] ||
            error.isInstanceOf[IllegalStateException]
        )
    }
  }
}

/** One case that is under way. */
trait Scenario {
  def act(step: JValue): Any
  def check(step: JValue, expect: JValue): Any
}

object Scenarios {

  def load(component: String): JValue = {
    val folder = Path.of(sys.props("tidegate.scenarios"))
    JsonMethods.parse(Files.readString(folder.resolve(s"$component.json"), UTF_8))
  }

  def text(value: JValue): String = value match {
    case JString(string) => string
    case other           => fail(s"a text was expected, not $other")
  }

  /** The fields of an object. */
  def fields(value: JValue): Seq[(String, JValue)] = value match {
    case JObject(fields) => fields.map(f => f._1 -> f._2)
    case other           => fail(s"an object was expected, not $other")
  }

  /** A time; MIN and MAX stand for the bounds of `Long`. */
  def time(value: JValue): Long = value match {
    case JInt(number)   => number.bigInteger.longValueExact
    case JString("MIN") => Long.MinValue
    case JString("MAX") => Long.MaxValue
    case other          => fail(s"a time was expected, not $other")
  }

  /** A watermark that may be missing: null and MIN stand for none. */
  def optionalTime(value: JValue): Option[Long] = value match {
    case JNull | JNothing => None
    case present          => Some(time(present)).filter(_ != Long.MinValue)
  }

  def flag(value: JValue): Boolean = value match {
    case JBool(boolean) => boolean
    case other          => fail(s"a truth value was expected, not $other")
  }

  /** Runs `body` if the field is there; a null counts as there. */
  def ifPresent(value: JValue)(body: JValue => Any): Unit =
    if (value != JNothing) { val _ = body(value) }

  def fail(message: String): Nothing = throw new AssertionError(message)
}
