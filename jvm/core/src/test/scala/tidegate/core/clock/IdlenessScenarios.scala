package tidegate.core.clock

import tidegate.core.policy.EmissionSpec

/** Who holds time back, and until when. */
class IdlenessScenarios extends ClockScenarios {

  private def one = counts(node("time"))

  test("a silent substream is left out after its timeout, and does not go back when it returns") {
    val run = one.start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    assert(run.watermark("time") === Some(3000L))
    assert(run.watermarks("time").heldBackBy === Some("b"))
    run.advance(3000).send("time", "a", 30).settle()
    run.advance(1999).settle()
    assert(run.take() === Nil)
    run.advance(1).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
    assert(run.watermark("time") === Some(30000L))
    assert(run.take() === Seq("[0,10)|1"))
    run.send("time", "b", 12).settle()
    assert(run.watermark("time") === Some(30000L))
    assert(run.lateRows === Map("aggregate" -> 1))
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    assert(run.watermarks("time").heldBackBy === Some("b"))
  }

  scenario("all substreams idle: the highest time leaves, then time stands still", one) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(5000).settle()
    assert(run.watermark("time") === Some(30000L))
    assert(run.isIdle("time"))
    assert(run.watermarks("time").heldBackBy === None)
    assert(run.take() === Seq("[0,10)|1"))
    val batches = run.batchCount
    run.advance(3600000).settle()
    assert(run.batchCount === batches)
  }

  scenario("all substreams idle: time stands until data comes, and then goes on", one) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(5000).settle()
    run.advance(3600000).settle()
    assert(run.watermark("time") === Some(30000L))
    run.send("time", "a", 41).send("time", "b", 52).settle()
    assert(run.watermark("time") === Some(41000L))
    assert(run.lateRows === Map.empty)
    assert(!run.isIdle("time"))
  }

  scenario(
    "all substreams idle: a policy with a wall clock moves time on",
    counts(node("time", lagAndLull(0, 2000)))
  ) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(5000).settle()
    assert(run.isIdle("time"))
    val before = run.watermark("time").get
    run.advance(60000).settle()
    // By frames of ten seconds, and the time of a stop is no lull.
    assert(run.watermark("time").exists(w => w >= before + 50000 && w <= before + 60000))
    assert(run.isIdle("time"))
  }

  scenario("a batch that is slower than the timeout makes nothing idle", one) { run =>
    // While it runs both substreams get rows, which the next batch reads.
    var next = 1
    run.onBatch = _ =>
      if (next < 4) {
        run.nowMs += 60000
        run.send("time", "a", 30.0 * next).send("time", "b", 10.0 * next)
        next += 1
      }
    run.send("time", "a", 5).send("time", "b", 3).settle()
    assert(run.lateRows === Map.empty)
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    assert(run.watermark("time") === Some(30000L))
    run.advance(5000).settle()
    assert(run.substreams("time") === Map("a" -> true, "b" -> true))
  }

  test("silence counts from when a batch was put together, not from when it ended") {
    val run = one.start()
    run.onBatch = batch => if (batch == 0) run.nowMs += 3000
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(1999).settle()
    assert(!run.isIdle("time"))
    run.advance(1).settle()
    assert(run.isIdle("time"))
  }

  scenario("unread backlog is never idleness: a slow stream leaves nobody out", one) { run =>
    // The rows of b are there, but for a while only those of a are read.
    run.limit("time")(substream => if (substream == "b" && run.batchCount > 0) 0 else 1)
    run.onBatch = batch => {
      run.nowMs += 60000
      if (batch == 4) run.limit("time")(_ => 1)
      ()
    }
    run.send("time", "a", 5, 25, 35, 36, 37).send("time", "b", 5, 6, 36).settle()
    assert(run.batchCount > 5)
    assert(run.lateRows === Map.empty)
    assert(run.take().head === "[0,10)|3")
  }

  test("rows keep their substream from being idle, also without moving its time") {
    val run = one.start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    (1 to 4).foreach(_ => run.advance(4000).send("time", "b", 3).settle())
    assert(run.substreams("time") === Map("a" -> true, "b" -> false))
    assert(run.watermark("time") === Some(3000L))
  }

  scenario("without a timeout nobody is ever idle", counts(node("time", idleAfterMs = None))) {
    run =>
      run.send("time", "a", 30).send("time", "b", 3).settle()
      run.advance(1000000000L).settle()
      assert(run.substreams("time") === Map("a" -> false, "b" -> false))
      assert(run.watermark("time") === Some(3000L))
  }

  test("a stream that has shown nothing becomes idle too, and no longer holds a union back") {
    val union = CoalescedTime(Seq(NodeTime("in"), NodeTime("empty")))
    val run = counts(union, node("in"), node("empty")).start()
    run.send("in", "*", 5, 25).settle()
    assert(run.take() === Nil)
    run.advance(4000).send("in", "*", 26).settle()
    assert(run.take() === Nil)
    run.advance(1000).settle()
    assert(run.isIdle("empty"))
    assert(run.take() === Seq("[0,10)|1"))
    run.send("empty", "*", 27).settle()
    assert(run.lateRows === Map.empty)
    assert(!run.isIdle("empty"))
  }

  test("silence goes on over a restart, and the time of the stop counts") {
    val run = one.start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(4000).send("time", "a", 31).settle()
    run.restart()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    run.stop().advance(1000).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
    run.stop().advance(3999).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
    run.stop().advance(1).settle()
    assert(run.substreams("time") === Map("a" -> true, "b" -> true))
  }

  test("what came during a stop was no silence: nobody is left out before it is read") {
    val run = one.start()
    run.limit("time")(_ => 1)
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.stop().advance(3600000)
    run.send("time", "a", 40, 41, 42, 43).send("time", "b", 4, 5, 6, 7, 31).settle()
    assert(run.lateRows === Map.empty)
    assert(run.watermark("time") === Some(31000L))
  }

  test("runs that end by themselves and that a scheduler starts: a silent substream is left out") {
    val run = one.start()
    run.send("time", "a", 30).send("time", "b", 3).runOnce()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    run.advance(4999).send("time", "a", 42).runOnce()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    assert(run.take() === Nil)
    run.advance(1).send("time", "a", 43).runOnce()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
    assert(run.take() === Seq("[0,10)|1", "[30,40)|1"))
    assert(run.lateRows === Map.empty)
  }

  test("short runs whose source tells of its end only by giving nothing new") {
    val run = one.start()
    run.limit("time")(_ => 1)
    run.readUpWhenQuiet = true
    run.send("time", "a", 30).send("time", "b", 3).runOnce()
    run.advance(5000).send("time", "a", 42, 43).runOnce()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
    assert(run.take() === Seq("[0,10)|1", "[30,40)|1"))
    // It holds nothing back in the runs after that either, and runs without rows have no batch.
    run.advance(1000).send("time", "a", 51).runOnce()
    assert(run.watermark("time") === Some(51000L))
    run.advance(5000).runOnce()
    assert(run.isIdle("time"))
    val batches = run.batchCount
    run.advance(5000).runOnce().advance(5000).runOnce()
    assert(run.batchCount === batches)
  }

  test("a stream that has shown nothing is idle over short runs too") {
    val run =
      counts(CoalescedTime(Seq(NodeTime("full"), NodeTime("empty"))), node("full"), node("empty"))
        .start()
    run.send("full", "a", 5).runOnce()
    run.advance(3000).send("full", "a", 25).runOnce()
    assert(run.take() === Nil)
    run.advance(3000).send("full", "a", 26).runOnce()
    assert(run.isIdle("empty"))
    assert(run.take() === Seq("[0,10)|1"))
  }

  scenario("a row without a time moves nothing", one) { run =>
    run.sendRows("time", "a", FeedRow.withoutTime).settle()
    assert(run.batchCount === 1)
    run.send("time", "b", 12).settle()
    assert(run.watermark("time") === Some(12000L))
    assert(run.substreams("time") === Map("b" -> false))
  }

  test("a substream whose events are all too far in the future holds time back until one is not") {
    val clock = new QueryClock(one.spec, ClockState.empty, 1000L)
    def watermark(observed: (String, Long)*) =
      clock
        .step(ClockState.empty, Map("time" -> NodeObservation(observed.toMap)), None, 1000L, 1000L)
        .flatMap(_.nodes("time").watermarkMs)
    assert(watermark("a" -> 30000000L, "b" -> SubstreamClock.NoTime) === None)
    assert(watermark("b" -> 40000999L) === Some(30000L))
  }

  scenario(
    "a wall clock that jumps back moves nothing back, and stands until it has caught up",
    Seq(
      fixedLag(1000),
      lagAndDelay(1000, 2000),
      lagAndLull(1000, 2000),
      lagAndWallClock(1000, 20000)
    ).map(policy => node(policy.name, policy, idleAfterMs = Some(60000L)))
      .map(_.copy(emission = EmissionSpec.byMinStep(1L)))
      .foldLeft(ClockScenarios.Query(QuerySpec(Nil, Nil))) { (query, node) =>
        val op = OperatorSpec(s"after ${node.name}", 0, NodeTime(node.name), None)
        query.copy(QuerySpec(query.spec.nodes :+ node, query.spec.operators :+ op))
      }
  ) { run =>
    val now = run.nowMs
    def watermarks = run.watermarks.map { case (name, n) => name -> n.watermarkMs }
    def names = Seq(
      "fixedLag",
      "limitingLagAndDelay",
      "limitingLagAndLull",
      "limitingTimestampAndWallClockLag"
    )
    for (name <- names; substream <- Seq("a", "b")) run.send(name, substream, now / 1000.0)
    run.settle()
    run.advance(30000).settle()
    val before = watermarks
    run.advance(-3630000).settle()
    assert(watermarks === before)
    names.foreach(run.send(_, "a", now / 1000.0 + 1))
    run.settle()
    names.foreach(name => assert(watermarks(name).exists(w => before(name).exists(w >= _)), name))
  }

  test("a wall clock that jumps back and comes again: silence counts from where it was") {
    val run = counts(node("time", idleAfterMs = Some(60000L))).start()
    run.send("time", "a", 5).send("time", "b", 5).settle()
    run.advance(30000).send("time", "a", 6).settle()
    run.advance(-3630000).settle()
    run.advance(3630000).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    run.advance(30000).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
  }
}
