package tidegate.core.policy

import org.scalatest.funsuite.AnyFunSuite

class WatermarkPolicySuite extends AnyFunSuite {
  private def refusal(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("negative durations are refused with argument, found and wanted value") {
    def sentence(name: String) = s"Argument $name is -1 ms; it must be at least 0."
    assertResult(sentence("lagMs"))(refusal(new FixedLag(-1)))
    assertResult(sentence("lagMs"))(refusal(new LimitingLagAndDelay(-1, 0)))
    assertResult(sentence("maxDelayMs"))(refusal(new LimitingLagAndDelay(0, -1)))
    assertResult(sentence("lagMs"))(refusal(new LimitingLagAndLull(-1, 0)))
    assertResult(sentence("maxLullMs"))(refusal(new LimitingLagAndLull(0, -1)))
    assertResult(sentence("timestampLagMs"))(refusal(new LimitingTimestampAndWallClockLag(-1, 0)))
    assertResult(sentence("wallClockLagMs"))(refusal(new LimitingTimestampAndWallClockLag(0, -1)))
  }

  test("only fixed lag does not depend on the wall clock") {
    assert(!new FixedLag(0).dependsOnWallClock)
    assert(new LimitingLagAndDelay(0, 0).dependsOnWallClock)
    assert(new LimitingLagAndLull(0, 0).dependsOnWallClock)
    assert(new LimitingTimestampAndWallClockLag(0, 0).dependsOnWallClock)
  }

  test("without any event only the wall clock lag has a watermark") {
    assertResult(None)(new FixedLag(0).currentWatermark(1000))
    assertResult(None)(new LimitingLagAndDelay(0, 0).currentWatermark(1000))
    assertResult(None)(new LimitingLagAndLull(0, 0).currentWatermark(1000))
    assertResult(Some(990L))(new LimitingTimestampAndWallClockLag(0, 10).currentWatermark(1000))
  }

  test("two policies from the same parameters share nothing") {
    new FixedLag(5).observeEvent(10, 0)
    assertResult(None)(new FixedLag(5).currentWatermark(0))
  }

  test("a watermark that would fall below the lowest time is none") {
    assertResult(None)(new FixedLag(10).observeEvent(Long.MinValue + 5, 0))
    assertResult(None)(new LimitingLagAndLull(10, 0).observeEvent(Long.MinValue + 5, 0))
    assertResult(None)(new LimitingLagAndDelay(10, 10).observeEvent(Long.MinValue + 5, 0))
    assertResult(None)(
      new LimitingTimestampAndWallClockLag(10, Long.MaxValue).observeEvent(Long.MinValue, -5)
    )
  }

  test("a lull stops at the highest time instead of wrapping around") {
    val policy = new LimitingLagAndLull(0, 3)
    policy.observeEvent(Long.MaxValue - 10, 0)
    assertResult(Some(Long.MaxValue - 3))(policy.currentWatermark(10))
    assertResult(Some(Long.MaxValue))(policy.currentWatermark(Long.MaxValue))
  }

  test("a delay is exact between the lowest and the highest moment of the clock") {
    val policy = new LimitingLagAndDelay(10, 16)
    assertResult(Some(90L))(policy.observeEvent(100, Long.MinValue + 1))
    assertResult(Some(90L))(policy.currentWatermark(Long.MinValue + 16))
    assertResult(Some(100L))(policy.currentWatermark(Long.MaxValue))
  }

  test("the longest delay is never reached") {
    val policy = new LimitingLagAndDelay(10, Long.MaxValue)
    policy.observeEvent(100, 0)
    assertResult(Some(90L))(policy.currentWatermark(Long.MaxValue - 1))
  }

  test("lull: an old event restarts the timer from the watermark that was last returned") {
    val policy = new LimitingLagAndLull(2, 3)
    policy.observeEvent(12, 0)
    assertResult(Some(57L))(policy.currentWatermark(50))
    assertResult(Some(57L))(policy.observeEvent(0, 60))
    assertResult(Some(57L))(policy.currentWatermark(63))
    assertResult(Some(58L))(policy.currentWatermark(64))
  }

  test("lull: while the wall clock is behind, time stands still") {
    val policy = new LimitingLagAndLull(2, 3)
    policy.observeEvent(12, 0)
    assertResult(Some(107L))(policy.currentWatermark(100))
    assertResult(Some(107L))(policy.currentWatermark(50))
    assertResult(Some(107L))(policy.observeEvent(0, 50))
    assertResult(Some(107L))(policy.currentWatermark(103))
    assertResult(Some(108L))(policy.currentWatermark(104))
  }

  test("lull: the time for which a query was stopped does not count") {
    val stopped = new LimitingLagAndLull(2, 30)
    stopped.observeEvent(12, 0)
    stopped.currentWatermark(20)
    val started = new LimitingLagAndLull(2, 30)
    started.restore(stopped.snapshot, pausedMs = 1000)
    assertResult(Some(10L))(started.currentWatermark(1030))
    assertResult(Some(11L))(started.currentWatermark(1031))
  }

  test("delay: the time for which a query was stopped does not count") {
    val stopped = new LimitingLagAndDelay(50, 16)
    stopped.observeEvent(100, 0)
    val started = new LimitingLagAndDelay(50, 16)
    started.restore(stopped.snapshot, pausedMs = 1000)
    assertResult(Some(50L))(started.currentWatermark(1015))
    assertResult(Some(100L))(started.currentWatermark(1016))
  }

  test("wall clock lag: the clock itself counts, so a pause moves the watermark") {
    val stopped = new LimitingTimestampAndWallClockLag(0, 10)
    stopped.currentWatermark(100)
    val started = new LimitingTimestampAndWallClockLag(0, 10)
    started.restore(stopped.snapshot, pausedMs = 1000)
    assertResult(Some(90L))(started.currentWatermark(50))
    assertResult(Some(1090L))(started.currentWatermark(1100))
  }

  test("a clock that was set back during the pause moves nothing back") {
    val stopped = new LimitingLagAndLull(2, 3)
    stopped.observeEvent(12, 100)
    val started = new LimitingLagAndLull(2, 3)
    started.restore(stopped.snapshot, pausedMs = -50)
    assertResult(stopped.snapshot)(started.snapshot)
  }

  test("a policy that saw nothing stays so over a pause") {
    val started = new LimitingLagAndLull(2, 3)
    started.restore(new LimitingLagAndLull(2, 3).snapshot, pausedMs = 1000)
    assertResult(new LimitingLagAndLull(2, 3).snapshot)(started.snapshot)
  }

  test("a snapshot of another policy is refused where it can be told") {
    val two = WatermarkPolicy.Snapshot(Vector(1, 2))
    val three = WatermarkPolicy.Snapshot(Vector(1, 2, 3))
    assertResult("Argument snapshot is 2 values; it must be 1 value.")(
      refusal(new FixedLag(0).restore(two))
    )
    assertResult("Argument snapshot is 2 values; it must be 1 value.")(
      refusal(new LimitingTimestampAndWallClockLag(0, 0).restore(two))
    )
    assertResult("Argument snapshot is 3 values; it must be 4 values.")(
      refusal(new LimitingLagAndLull(0, 0).restore(three))
    )
    assertResult(
      "Argument snapshot is 3 values; it must be 2 values and two for each of at most 16 buckets."
    )(refusal(new LimitingLagAndDelay(0, 0).restore(three)))
  }
}
