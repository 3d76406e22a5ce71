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
    for (batches <- Seq(Seq(skipped), skipped +: earlier))
      assert(SkippedTimes.read(SkippedTimes.text(3L, batches)) === Some(3L -> batches))
  }

  test("a text of a single batch may lack the number") {
    val text = SkippedTimes.text(3L, Seq(skipped)).replace(""","number":3,"earlier":[]""", "")
    assert(SkippedTimes.read(text) === Some(0L -> Seq(skipped)))
  }

  test("other texts are none") {
    val text = SkippedTimes.text(3L, skipped +: earlier)
    Seq("", "{}", "[]", text.dropRight(9), text.replace("Skipped\":1,", "Skipped\":2,")).foreach {
      other => assert(SkippedTimes.read(other) === None, other)
    }
  }
}
