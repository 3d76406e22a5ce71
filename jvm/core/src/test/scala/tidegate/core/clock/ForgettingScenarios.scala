package tidegate.core.clock

import tidegate.core.policy.PolicySpec

/** Substreams that never come back: names with a day or a file in them. */
class ForgettingScenarios extends ClockScenarios {
  private val DayMs = 86400000L

  private def daily(idleAfterMs: Option[Long] = Some(5000L)) =
    node("time", idleAfterMs = idleAfterMs).copy(forgetAfterMs = Some(DayMs))

  scenario("a silent substream that time has passed is forgotten", counts(daily())) { run =>
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(DayMs - 1).send("time", "a", 40).settle()
    assert(run.substreams("time").keySet === Set("a", "b"))
    run.advance(1).settle()
    assert(run.substreams("time").keySet === Set("a"))
    assert(run.takeEvents().contains(ClockEvent.Forgotten("time", Seq("b"))))
    // The next batch writes it down.
    run.send("time", "a", 55).settle()
    assert(run.state.substreams("time").substreams.map(_.name) === Seq("a"))
  }

  test("what was forgotten is new when it comes back, and holds time back again") {
    val run = counts(daily()).start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(DayMs).send("time", "a", 40).settle()
    run.advance(DayMs / 8).send("time", "a", 41).settle()
    assert(run.substreams("time").keySet === Set("a"))
    run.takeEvents()
    run.send("time", "b", 55).send("time", "a", 99).settle()
    assert(run.takeEvents().contains(ClockEvent.Appeared("time", Seq("b"))))
    assert(run.watermark("time") === Some(55000L))
    assert(run.lateRows === Map.empty)
  }

  test("the furthest substream is never forgotten: all idle, a policy with a wall clock goes on") {
    val run = counts(node("time", lagAndLull(0, 2000)).copy(forgetAfterMs = Some(10000L))).start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(60000).settle()
    run.advance(60000).settle()
    assert(run.substreams("time") === Map("a" -> true))
    val before = run.watermark("time").get
    run.advance(60000).settle()
    assert(run.watermark("time").exists(_ >= before + 50000))
  }

  test("a part that the source still reports is kept") {
    val run = counts(daily().copy(hasParts = true)).start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    Seq(1, 2, 3).foreach(day => run.advance(DayMs).send("time", "a", 30 + day).settle())
    assert(run.substreams("time") === Map("a" -> false, "b" -> true))
  }

  test("without a timeout nothing is idle, and so nothing is forgotten") {
    val run = counts(daily(idleAfterMs = None)).start()
    run.send("time", "a", 30).send("time", "b", 3).settle()
    run.advance(10 * DayMs).send("time", "a", 40).settle()
    run.advance(10 * DayMs).send("time", "a", 41).settle()
    assert(run.substreams("time") === Map("a" -> false, "b" -> false))
  }

  test("substreams of append times are forgotten when they are silent") {
    val ingestion = node("time", PolicySpec("ingestionTime", Seq(0L, 10000L)))
    val run = counts(ingestion.copy(forgetAfterMs = Some(DayMs))).start()
    def rows(name: String) = run.sendRows("time", name, FeedRow.appended(run.nowMs / 1000.0))
    rows("a").settle()
    Seq("b", "c", "d").foreach { name =>
      run.advance(DayMs).settle()
      rows(name).settle()
    }
    run.advance(DayMs / 8).settle()
    assert(run.substreams("time").size <= 2)
    assert(run.lateRows === Map.empty)
  }

  test("what is forgotten while it holds back append times lets them go on at once") {
    val ingestion = node("time", PolicySpec("ingestionTime", Seq(0L, 60000L)), idleAfterMs = None)
    val run = counts(ingestion.copy(forgetAfterMs = Some(DayMs))).start()
    def rows(name: String) = run.sendRows("time", name, FeedRow.appended(run.nowMs / 1000.0))
    rows("a").settle().advance(DayMs)
    rows("b").settle()
    assert(run.substreams("time") === Map("b" -> false))
    assert(run.watermark("time") === Some(run.nowMs - 1))
  }

  test("a year of a hundred new names a day is flat: in memory, in the checkpoint, and restarted") {
    Seq(false, true).foreach { restarts =>
      val run =
        counts(daily().copy(limit = SubstreamLimit("time", Seq("file"), 400))).start(restarts)
      val sizes = (1 to 365).map { day =>
        def name(day: Int, quarter: Int, i: Int) = s"2026-$day/$quarter-$i"
        (0 until 4).foreach { quarter =>
          (0 until 25).foreach { i =>
            // Old files are deleted.
            run.delete("time", name(day - 2, quarter, i))
            run.send("time", name(day, quarter, i), day * 86400.0 + quarter * 21600.0)
          }
          run.settle().advance(DayMs / 4)
        }
        run.take()
        (run.substreams("time").size, ClockCodec.write(run.state).length)
      }
      assert(run.lateRows === Map.empty)
      assert(sizes.drop(10).map(_._1).max <= 250)
      assert(sizes.drop(10).map(_._2).max <= sizes(9)._2 + 500)
    }
  }
}
