package tidegate.core.policy

import org.scalatest.funsuite.AnyFunSuite

class SpecSuite extends AnyFunSuite {

  private def refusal(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("a policy says its name and durations") {
    val policy = PolicySpec("limitingLagAndLull", Seq(1000L, 20000L))
    assert(policy.toString === "limitingLagAndLull(1000 ms, 20000 ms)")
    assert(policy.lagMs === 1000L)
    assert(policy.dependsOnWallClock && !policy.isIngestionTime)
    assert(PolicySpec.arguments("limitingLagAndLull") === Some(Seq("lag", "maxLull")))
    assert(PolicySpec.arguments("lull") === None)
  }

  test("the times of appending: nothing below the last one comes any more") {
    val policy = PolicySpec("ingestionTime", Seq(5000L, 10000L))
    assert(policy.isIngestionTime)
    assert(policy.create().observeEvent(20000L, Long.MinValue) === Some(14999L))
    assert(policy.create().observeEvent(20000L, 40000L) === Some(25000L))
  }

  test("policies that cannot be are refused") {
    assert(
      refusal(PolicySpec("lull", Nil)) === "Argument name is 'lull'; it must be one of fixedLag, " +
        "limitingLagAndDelay, limitingLagAndLull, limitingTimestampAndWallClockLag, ingestionTime."
    )
    assert(
      refusal(PolicySpec("fixedLag", Seq(1L, 2L))) ===
        "Argument durationsMs is a list of 2; it must be one of 1: lag."
    )
    assert(
      refusal(PolicySpec("limitingLagAndDelay", Seq(1L, -2L))) ===
        "Argument maxDelay is -2 ms; it must be at least 0."
    )
  }

  test("emissions that cannot be are refused") {
    assert(EmissionSpec.byFrame(5L).admits(5L, Some(4L)))
    assert(!EmissionSpec.byMinStep(5L).admits(5L, Some(4L)))
    assert(
      refusal(EmissionSpec("byDay", 1L, 0L)) ===
        "Argument name is 'byDay'; it must be one of byFrame, byMinStep."
    )
    assert(
      refusal(EmissionSpec.byFrame(0L)) === "Argument sizeMs is 0 ms; it must be at least 1."
    )
  }
}
