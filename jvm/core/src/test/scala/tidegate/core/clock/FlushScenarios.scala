package tidegate.core.clock

import tidegate.core.policy.PolicySpec

/** Runs that end by themselves, and time with them. */
class FlushScenarios extends ClockScenarios {

  private def flushed(policy: PolicySpec = fixedLag(2000), flush: Boolean = true) =
    counts(node("time", policy).copy(flush = flush))

  private val all = Seq("[0,10)|2", "[10,20)|2", "[30,40)|2", "[50,60)|1")

  /** Each substream in three batches. */
  private def rows(run: ClockScenario): ClockScenario = {
    run.limit("time")(_ => 1)
    run.send("time", "a", 5, 35, 55).send("time", "b", 3, 14, 33).send("time", "c", 13)
  }

  test("the run gives what a table gives, and leaves no state") {
    val run = rows(flushed().start()).runOnce()
    assert(run.take() === all)
    assert(run.stateRows === 0)
    assert(run.watermark("time") === Some(SubstreamClock.EndOfTimeMs))
  }

  test("a wall clock ends too") {
    val run = rows(flushed(lagAndLull(2000, 1000)).start())
    run.onBatch = _ => run.nowMs += 60000
    run.runOnce()
    assert(run.take().size === 4)
    assert(run.stateRows === 0)
  }

  test("sources that report what is left end after all is read") {
    val run = counts(node("time").copy(flush = true, hasParts = true)).start()
    run.limit("time")(_ => 3)
    (0 to 1).foreach(p => run.send("time", s"$p", (0 to 40).map(_.toDouble): _*))
    run.runOnce()
    assert(run.take().map(_.split('|').last.toInt) === Seq(20, 20, 20, 20, 2))
    assert(run.lateRows === Map.empty)
  }

  test("a run that does not flush keeps its state for the next one, and other triggers go on") {
    val run = rows(flushed(flush = false).start()).runOnce()
    assert(run.stateRows > 0)
    val going = rows(flushed().start()).settle()
    assert(going.stateRows > 0)
    assert(going.take() === run.take())
  }

  test("stopped after every batch, the run ends as if it was not") {
    val undisturbed = rows(flushed().start()).runOnce()
    val stopped = rows(flushed().start())
    (0 until undisturbed.batchCount + 3).foreach(n => stopped.runOnce((), mostBatches = n))
    assert(stopped.take() === undisturbed.take())
    assert(stopped.stateRows === 0)
    assert(stopped.lateRows === Map.empty)
  }

  test("a flushed checkpoint that is started again says so, and rows are late") {
    val run = rows(flushed().start()).runOnce()
    assert(run.query.endedNodes === Nil)
    assert(run.take() === all)
    run.send("time", "a", 70).runOnce()
    assert(run.query.endedNodes === Seq("time"))
    assert(run.take() === Nil)
    assert(run.lateRows === Map("aggregate" -> 1))
    assert(run.watermark("time") === Some(SubstreamClock.EndOfTimeMs))
  }

  test("a source that keeps rows to itself: the run ends, and the next one ends time") {
    val run = counts(node("time").copy(flush = true, hasParts = true)).start()
    (0 to 1).foreach(p => run.send("time", s"$p", (0 to 40).map(_.toDouble): _*))
    // As Kafka's with minOffsetsPerTrigger, when fewer rows are left.
    run.onBatch = batch => if (batch == 1) { run.limit("time")(_ => 0); () }
    run.limit("time")(_ => 15).runOnce()
    assert(run.query.endsUnflushed)
    assert(run.stateRows > 0)
    assert(run.watermark("time").exists(_ < 40000L))
    run.onBatch = _ => ()
    run.limit("time")(_ => Int.MaxValue).runOnce()
    assert(!run.query.endsUnflushed)
    assert(run.lateRows === Map.empty)
    assert(run.take().map(_.split('|').last.toInt) === Seq(20, 20, 20, 20, 2))
  }

  test("a run without rows ends") {
    val run = flushed().start().runOnce()
    assert(run.take() === Nil)
    assert(run.batchCount <= 2)
  }

  private val yearsLast = 253402300799.999

  test("a time that events took to the end of the year 9999 has not ended, and is flushed") {
    val run = flushed(fixedLag(0)).start().send("time", "a", 5, yearsLast).runOnce()
    assert(run.query.endedNodes === Nil)
    assert(run.watermark("time") === Some(SubstreamClock.EndOfTimeMs))
    assert(run.stateRows === 0)
  }

  test("the same, stopped after every batch") {
    val run = flushed(fixedLag(0)).start().send("time", "a", 5, yearsLast)
    (0 until 6).foreach { n =>
      run.runOnce((), mostBatches = n)
      if (run.stateRows > 0) assert(run.query.endedNodes === Nil)
    }
    assert(run.stateRows === 0)
  }

  test("windows that end after the year 9999 close at the end of time") {
    val run = flushed().start().send("time", "a", 5, yearsLast, yearsLast + 8).runOnce()
    assert(run.take().map(_.split('|').last) === Seq("1", "1", "1"))
    assert(run.stateRows === 0)
  }

  test("a checkpoint that was flushed has ended, one at the end of the year 9999 has not") {
    val spec = QuerySpec(Seq(node("time").copy(flush = true)), Nil, Nil)
    assert(new QueryClock(spec, savedAt(253402300799999L), 0L).endedNodes === Nil)
    assert(new QueryClock(spec, savedAt(SubstreamClock.EndOfTimeMs), 0L).endedNodes === Seq("time"))
    assert(new QueryClock(spec, savedAt(70000), 0L).endedNodes === Nil)
  }

  /** The state of a query whose events are at 70 s. */
  private def savedAt(watermarkMs: Long): ClockState = {
    val policy = fixedLag(0).create()
    val _ = policy.observeEvent(70000, 0)
    ClockState.empty.copy(
      nodes = Map("time" -> NodeMark(0, Some(watermarkMs), idle = false)),
      substreams = Map("time" -> NodeState(Seq(SavedSubstream("a", policy.snapshot.values, 0L))))
    )
  }

  test("one of two nodes flushes: only its time ends") {
    val run = counts(NodeTime("time"), node("time").copy(flush = true), node("other")).start()
    run.send("time", "a", 5, 35).send("other", "a", 5, 35).runOnce()
    assert(run.take() === Seq("[0,10)|1", "[30,40)|1"))
    assert(run.watermark("other") === Some(35000L))
  }
}
