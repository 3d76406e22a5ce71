package tidegate.core.clock

import tidegate.core.policy.PolicySpec

/** Time that goes on without events. */
class LullScenarios extends ClockScenarios {

  private def over(policy: PolicySpec) = counts(node("time", policy, idleAfterMs = Some(60000L)))

  test("a lull closes the last windows, with one batch for each window bound") {
    val run = over(lagAndLull(1000, 2000)).start()
    run.send("time", "a", 5).settle()
    val batches = run.batchCount
    (1 to 100).foreach(_ => run.advance(500).settle())
    assert(run.take() === Seq("[0,10)|1"))
    // 48 seconds of lull cross five bounds.
    assert(run.batchCount - batches === 5)
    run.advance(-30000).settle()
    assert(run.watermark("time") === Some(50000L))
  }

  scenario("a lull that is over in one step", over(lagAndLull(1000, 2000))) { run =>
    run.send("time", "a", 5).settle()
    run.advance(50000).settle()
    assert(run.watermark("time") === Some(52000L))
    assert(run.take() === Seq("[0,10)|1"))
    run.send("time", "a", 51).settle()
    assert(run.lateRows === Map.empty)
  }

  test("a silent hour: at most a batch for a window bound with a wall clock, none without one") {
    val start = 1000000
    Seq(
      lagAndLull(1000, 20000) -> (355 to 360),
      lagAndWallClock(1000, 20000) -> (355 to 360),
      fixedLag(1000) -> (0 to 0)
    ).foreach { case (policy, expected) =>
      val run = over(policy).start()
      run.send("time", "a", start + 5.0, start + 12.0).settle()
      val batches = run.batchCount
      // An hour, and so 360 bounds.
      (1 to 720).foreach { step =>
        run.advance(5000).settle()
        // The last window closes within the lull, or the lag, and one trigger.
        if (step == 8 && expected.end > 0)
          assert(
            run.take() === Seq(s"[$start,${start + 10})|1", s"[${start + 10},${start + 20})|1")
          )
      }
      assert(expected.contains(run.batchCount - batches), policy)
    }
  }

  test("the time for which a query is stopped is not a lull") {
    val run = over(lagAndLull(1000, 2000)).start()
    run.send("time", "a", 5).settle()
    run.stop().advance(3600000).settle()
    run.send("time", "a", 6).settle()
    assert(run.lateRows === Map.empty)
    assert(run.watermark("time").forall(_ < 10000L))
    run.advance(8000).settle()
    assert(run.watermark("time") === Some(11000L))
  }

  scenario("a delay lets time reach its highest timestamp", over(lagAndDelay(10000, 2000))) { run =>
    run.send("time", "a", 5, 25).settle()
    assert(run.watermark("time") === Some(15000L))
    assert(run.take() === Seq("[0,10)|1"))
    run.advance(1999).settle()
    assert(run.watermark("time") === Some(15000L))
  }

  test("a delay: at most so long after a timestamp was observed time reaches it") {
    val run = over(lagAndDelay(10000, 2000)).start()
    run.send("time", "a", 5, 25).settle()
    run.advance(2000).settle()
    assert(run.watermark("time") === Some(25000L))
  }

  test("the substreams of many are looked at less often than asked") {
    val run = over(lagAndLull(0, 0)).start()
    (1 to 1000).foreach(i => run.send("time", s"s$i", 5))
    run.settle()
    run.advance(10).settle()
    assert(run.watermarks("time").substreams("s1").watermarkMs === Some(5000L))
    run.advance(1).settle()
    assert(run.watermarks("time").substreams("s1").watermarkMs === Some(5011L))
  }
}
