package tidegate.core.clock

import tidegate.core.policy.{EmissionSpec, PolicySpec}

/** A watermark that goes on from a checkpoint with other parameters. */
class ChangedNodeScenarios extends ClockScenarios {

  private val policies = Seq(
    fixedLag(1000),
    fixedLag(7000),
    lagAndDelay(1000, 2000),
    lagAndDelay(1000, 60000),
    lagAndLull(1000, 2000),
    lagAndLull(3000, 60000),
    lagAndWallClock(1000, 2000000000L),
    PolicySpec("ingestionTime", Seq(1000L, 2000000000L))
  )

  private def of(policy: PolicySpec) =
    node("time", policy).copy(emission = EmissionSpec.byMinStep(1L), columns = Seq("part STRING"))

  test("every policy goes on from the watermark of every other one, and then by its own rule") {
    for (before <- policies; now <- policies) withClue(s"$before -> $now: ") {
      val run = counts(of(before)).start()
      (30 until 50).foreach { second =>
        run.send("time", "a", second.toDouble).send("time", "b", second - 9.0).settle().advance(100)
      }
      val reached = run.watermark("time").get
      run.takeEvents()
      run.stop().advance(3600000).continueWith(counts(of(now)).spec)
      // The batch that is read again is observed by the new policy.
      val resumed = run.watermark("time").get
      assert(resumed >= reached && resumed <= 50000L)
      val changed = run.takeEvents().collect { case e: ClockEvent.PolicyChanged => e }
      assert(
        changed === Option.when(before != now)(ClockEvent.PolicyChanged("time", before, now)).toSeq
      )
      run.send("time", "a", 100).send("time", "b", 100).settle()
      if (now.name != PolicySpec.IngestionTime) {
        assert(run.watermark("time") === Some(100000L - now.lagMs))
      }
      assert(run.lateRows === Map.empty)
    }
  }

  test("a longer lag leaves the watermark where it is until the rows are so far") {
    val run = counts(of(fixedLag(1000))).start()
    run.send("time", "a", 50).settle()
    assert(run.watermark("time") === Some(49000L))
    run.continueWith(counts(of(fixedLag(20000))).spec)
    run.send("time", "a", 60).settle()
    assert(run.watermark("time") === Some(49000L))
    run.send("time", "a", 75).settle()
    assert(run.watermark("time") === Some(55000L))
  }

  test("a lull begins at the restart, whatever the policy before it was") {
    policies.filterNot(_.name == "limitingTimestampAndWallClockLag").foreach { before =>
      val run = counts(of(before)).start()
      run.send("time", "a", 50).settle()
      run.stop().advance(3600000).continueWith(counts(of(lagAndLull(1000, 10000))).spec)
      run.advance(10000).settle()
      assert(run.watermark("time").exists(_ <= 50000L), before)
      run.advance(1000).settle()
      assert(run.watermark("time").exists(_ <= 51000L), before)
    }
  }

  test("other emissions and timeouts hold from the restart on") {
    val run = counts(of(fixedLag(0))).start()
    run.send("time", "a", 45).send("time", "b", 41).settle()
    val slow = of(fixedLag(0)).copy(emission = EmissionSpec.byFrame(10000L), idleTimeoutMs = None)
    run.continueWith(counts(slow).spec)
    run.advance(3600000).send("time", "a", 46).send("time", "b", 49).settle()
    assert(run.watermark("time") === Some(41000L))
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
    val fast = of(fixedLag(0)).copy(idleTimeoutMs = Some(1L))
    run.continueWith(counts(fast).spec)
    assert(run.watermark("time") === Some(46000L))
    run.advance(1).settle()
    assert(run.substreams("time") === Map("a" -> true, "b" -> true))
  }

  test("other substream columns: the old substreams leave, the watermark stays, a line says so") {
    val run = counts(of(fixedLag(0))).start()
    run.send("time", "a", 45).send("time", "b", 41).settle()
    run.takeEvents()
    val other = of(fixedLag(0)).copy(columns = Seq("device STRING", "part STRING"))
    run.stop().send("time", "x/a", 47)
    run.continueWith(counts(other).spec)
    assert(run.watermarks("time").substreams.keySet.contains("x/a"))
    assert(run.watermark("time") === Some(47000L))
    assert(
      run.takeEvents().head ===
        ClockEvent.ColumnsChanged("time", Seq("part STRING"), other.columns, Some(41000L))
    )
    assert(run.lateRows === Map.empty)
  }
}
