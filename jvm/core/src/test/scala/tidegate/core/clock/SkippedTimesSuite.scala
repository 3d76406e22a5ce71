package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite

class SkippedTimesSuite extends AnyFunSuite {

  private val skipped = SkippedTimes(
    7L,
    1700000000000L,
    ClockTimes(
      Map("orders" -> NodeMark(5, Some(-7L), idle = true)),
      Map("aggregate" -> OperatorMark(5, None, Some(3L), idle = false, gapMicros = Some(2L))),
      Map("aggregate" -> -9L)
    )
  )

  test("what is written is read again") {
    assert(SkippedTimes.read(skipped.text) === Some(skipped))
  }

  test("other texts are none") {
    Seq("", "{}", "[]", skipped.text.dropRight(9), skipped.text.replace(":1,", ":2,")).foreach {
      text => assert(SkippedTimes.read(text) === None, text)
    }
  }
}
