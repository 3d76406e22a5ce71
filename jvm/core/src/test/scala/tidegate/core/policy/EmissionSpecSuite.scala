package tidegate.core.policy

import org.scalacheck.Gen
import tidegate.core.PropertySuite
import tidegate.core.policy.EmissionSpec.{byFrame, byMinStep}

class EmissionSpecSuite extends PropertySuite {

  private val times = Gen.frequency(
    4 -> Gen.choose(-100L, 100L),
    1 -> Gen.long.map(math.max(_, Long.MinValue + 1)),
    1 -> Gen.oneOf(Long.MinValue + 1, Long.MaxValue)
  )
  private val sizes = Gen.frequency(4 -> Gen.choose(1L, 20L), 1 -> Gen.choose(1L, Long.MaxValue))

  /**
   * The last emitted and the current time: mostly neighbours, because that is where bounds count.
   */
  private val pairs = Gen.frequency(
    3 -> Gen.zip(Gen.choose(-100L, 100L), Gen.choose(-5L, 25L)).map { case (last, step) =>
      (last, last + step)
    },
    1 -> Gen.zip(times, times)
  )

  test("by frame: an offset shifts the bounds") {
    val policy = byFrame(10, 3)
    assert(!policy.admits(12, Some(3)))
    assert(policy.admits(13, Some(12)))
    assert(!policy.admits(2, Some(-7)))
    assert(policy.admits(3, Some(2)))
    assert(byFrame(10, -7).admits(3, Some(2)))
  }

  test("by minimum step: the step itself is enough") {
    val policy = byMinStep(10)
    assert(policy.admits(5, None))
    assert(!policy.admits(14, Some(5)))
    assert(policy.admits(15, Some(5)))
  }

  test("no watermark is never admitted") {
    assert(!byFrame(10).admits(Long.MinValue, None))
    assert(!byMinStep(10).admits(Long.MinValue, None))
  }

  test("sizes and steps below 1 ms are refused with argument, found and wanted value") {
    def refusal(body: => Any) = intercept[IllegalArgumentException](body).getMessage
    assertResult("Argument sizeMs is 0 ms; it must be at least 1.")(refusal(byFrame(0)))
    assertResult("Argument sizeMs is -5 ms; it must be at least 1.")(refusal(byFrame(-5, 2)))
    assertResult("Argument sizeMs is 0 ms; it must be at least 1.")(refusal(byMinStep(0)))
  }

  test("by frame is floor((current - offset) / size) above that of the last, at any times") {
    forAll(sizes, times, pairs) { case (sizeMs, offsetMs, (lastMs, currentMs)) =>
      def frame(timestampMs: Long) = {
        val (quotient, rest) = (BigInt(timestampMs) - offsetMs) /% sizeMs
        if (rest < 0) quotient - 1 else quotient
      }
      assertResult(frame(currentMs) > frame(lastMs)) {
        byFrame(sizeMs, offsetMs).admits(currentMs, Some(lastMs))
      }
    }
  }

  test("by minimum step is current at least last plus step, at any times") {
    forAll(sizes, pairs) { case (stepMs, (lastMs, currentMs)) =>
      assertResult(BigInt(currentMs) >= BigInt(lastMs) + stepMs) {
        byMinStep(stepMs).admits(currentMs, Some(lastMs))
      }
    }
  }

  test("nothing emitted yet: everything is admitted") {
    forAll(sizes, times) { (sizeMs, currentMs) =>
      assert(byFrame(sizeMs).admits(currentMs, None) && byMinStep(sizeMs).admits(currentMs, None))
    }
  }
}
