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

  private val earlier = Seq(skipped.copy(batchId = 6L), skipped.copy(batchId = 4L, savedAtMs = 0L))

  test("what is written is read again, the last batch first") {
    assert(SkippedTimes.read(SkippedTimes.text(skipped, Nil)) === Seq(skipped))
    assert(SkippedTimes.read(SkippedTimes.text(skipped, earlier)) === skipped +: earlier)
  }

  test("other texts are none") {
    val text = SkippedTimes.text(skipped, earlier)
    Seq("", "{}", "[]", text.dropRight(9), text.replace("Skipped\":1,", "Skipped\":2,")).foreach {
      other => assert(SkippedTimes.read(other) === Nil, other)
    }
  }
}
