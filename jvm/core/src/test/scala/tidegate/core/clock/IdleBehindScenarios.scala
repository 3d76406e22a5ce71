package tidegate.core.clock

/** A substream that falls silent while it is behind the others. */
class IdleBehindScenarios extends ClockScenarios {

  private def waiting(ms: Option[Long]) = counts(node("time").copy(idleBehindMs = ms))

  test("left out after its timeout, its next rows are late, and a line says so with their number") {
    val run = waiting(None).start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(3000).send("time", "a", 31).settle()
    run.advance(3000).send("time", "a", 32).settle()
    run.takeEvents()
    run.send("time", "b", 4, 5, 33).settle()
    assert(run.lateRows === Map("aggregate" -> 2))
    assert(
      run.takeEvents() === Seq(
        ClockEvent.LateAfterIdle("time", "b", pauseMs = 6000L, rows = 2L),
        ClockEvent.CameBack("time", Seq("b"))
      )
    )
  }

  test("rows that are late by themselves are not told of as late by a pause") {
    val run = waiting(None).start()
    run.send("time", "a", 30).send("time", "b", 30).settle()
    run.send("time", "b", 3).settle()
    assert(run.lateRows === Map("aggregate" -> 1))
    assert(run.takeEvents().collect { case e: ClockEvent.LateAfterIdle => e } === Nil)
  }

  scenario(
    "one that waits holds time back up to its bound, and loses no row",
    waiting(Some(60000L))
  ) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(20000).send("time", "a", 50).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    run.send("time", "b", 4, 5, 52).settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[0,10)|3", "[30,40)|1"))
  }

  scenario("one that waits is left out at its bound", waiting(Some(60000L))) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(59999).send("time", "a", 50).settle()
    assert(run.watermark("time") === Some(3000L))
    run.advance(1).send("time", "a", 51).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
    assert(run.watermark("time") === Some(51000L))
  }

  scenario("who is ahead of all is left out after its timeout", waiting(Some(60000L))) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(5000).send("time", "b", 4).settle()
    assert(run.substreams("time") === Map("a" -> true, "b" -> false))
  }

  test("who is not behind any more since the wall clock moved is left out at once") {
    val query = counts(node("time", lagAndWallClock(0, 20000)).copy(idleBehindMs = Some(60000L)))
    val run = query.start()
    val second = run.nowMs / 1000.0
    run.send("time", "a", second - 5).send("time", "b", second - 10).settle()
    run.advance(14999).settle()
    assert(run.substreams("time") === Map("a" -> true, "b" -> false))
    run.advance(1).settle()
    assert(run.substreams("time") === Map("a" -> true, "b" -> true))
  }

  test("a bound below the timeout changes nothing") {
    val run = waiting(Some(1L)).start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(4999).send("time", "a", 31).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    run.advance(1).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
  }

  private def held(run: ClockScenario) =
    run.takeEvents().collect { case e: ClockEvent.HeldBack => e }

  test("one that is silent for longer than its timeout and still holds time back is named, once") {
    val run = counts(node("time")).start()
    run.limit("time")(name => if (name == "b" && run.batchCount > 0) 0 else 1)
    run.send("time", "a", 30).send("time", "b", 3, 4).settle()
    // Its next row waits, so it is not idle.
    run.advance(5001).send("time", "a", 31).settle()
    assert(held(run) === Seq(ClockEvent.HeldBack("time", "b", 5001L, 5000L)))
    run.advance(5001).send("time", "a", 32).settle()
    assert(held(run) === Nil)
    run.limit("time")(_ => 1)
    run.settle()
    run.limit("time")(name => if (name == "b") 0 else 1)
    run.send("time", "b", 5).send("time", "a", 33).settle()
    run.advance(5001).send("time", "a", 34).settle()
    assert(held(run) === Seq(ClockEvent.HeldBack("time", "b", 5001L, 5000L)))
  }

  test("who holds nobody back is not named") {
    val run = counts(node("time")).start()
    run.limit("time")(_ => 1)
    run.send("time", "a", 3).settle()
    run.advance(60000).send("time", "a", 3, 3, 3).settle()
    assert(held(run) === Nil)
  }
}
