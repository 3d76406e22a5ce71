package tidegate.core.clock

import scala.util.Random

import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * Watermarks that follow the times at which rows were appended. A row has the time of appending, in
 * seconds after the start, and how many seconds older the event is.
 */
class IngestionScenarios extends ClockScenarios {
  private val Start = 1000000

  private def appended(lagMs: Long, idleLagMs: Long = 10000L, hasParts: Boolean = true) = counts(
    node("events", PolicySpec("ingestionTime", Seq(lagMs, idleLagMs)), idleAfterMs = None)
      .copy(emission = EmissionSpec.byMinStep(1L), hasParts = hasParts)
  )

  private def row(second: Double, age: Int = 0): FeedRow = FeedRow.appended(Start + second, age)

  /** In ms after the start. */
  private def time(run: ClockScenario): Option[Long] =
    run.watermark("events").map(_ - Start * 1000L)

  private def nothingOf(partition: String)(p: String): Int = if (p == partition) 0 else Int.MaxValue

  scenario("the last time of appending, less a millisecond and the lag", appended(5000)) { run =>
    run.sendRows("events", "0", row(7), row(8, age = 5)).settle()
    assert(time(run) === Some(8000L - 1 - 5000))
    run.sendRows("events", "0", row(8, age = 5)).settle()
    assert(run.lateRows === Map.empty, "as old as may be, appended in the same millisecond")
  }

  scenario("the minimum over all partitions, read or not", appended(0)) { run =>
    run.limit("events")(nothingOf("2"))
    (0 to 2).foreach(p => run.sendRows("events", s"$p", row(10.0 - p)))
    run.settle()
    assert(time(run) === None)
    run.limit("events")(_ => Int.MaxValue).settle()
    assert(time(run) === Some(7999L))
  }

  scenario(
    "a partition that is read to its end follows the wall clock, and no further",
    appended(5000)
  ) { run =>
    run.sendRows("events", "0", row(0)).sendRows("events", "1", row(0)).settle()
    assert(time(run) === Some(-5001L))
    run.advance(12000).settle()
    assert(time(run) === Some(12000L - 10000 - 5000))
    assert(!run.isIdle("events"))
    run.advance(3600000).settle()
    assert(time(run) === Some(3612000L - 15000))
  }

  scenario("an empty partition follows the wall clock too", appended(0)) { run =>
    run.sendRows("events", "0", row(0)).sendRows("events", "1").settle()
    assert(time(run) === Some(-10000L))
    // Appended by a broker whose clock is nine seconds behind.
    run.advance(20000).sendRows("events", "1", row(11)).settle()
    assert(run.lateRows === Map.empty)
  }

  scenario("a partition that comes while the wall clock stands has a time at once", appended(0)) {
    run =>
      run.settle()
      run.sendRows("events", "0", row(0)).sendRows("events", "1").settle()
      assert(time(run) === Some(-10000L))
  }

  scenario("a partition that is not behind any more has a time at once", appended(0)) { run =>
    run.limit("events")(_ => 1)
    run.sendRows("events", "0", row(-30), FeedRow.withoutTime).settle()
    assert(time(run) === Some(-10000L))
  }

  scenario("a backlog is never passed, however long it takes", appended(0)) { run =>
    run.limit("events")(p => if (p == "1") 1 else Int.MaxValue)
    // Not for ever: time follows the clock, and a batch follows time.
    run.onBatch = batch => if (batch < 25) run.nowMs += 60000
    run.sendRows("events", "0", row(0))
    run.sendRows("events", "1", (0 to 20).map(second => row(second.toDouble)): _*).settle()
    assert(run.lateRows === Map.empty)
    assert(run.take().map(_.split('|').last.toInt) === Seq(11, 10, 1))
  }

  test("a partition that is added counts from the moment that the source reports it") {
    val run = appended(0).start()
    run.sendRows("events", "0", row(0)).settle()
    run.limit("events")(nothingOf("1")).advance(5000).sendRows("events", "1", row(5)).settle()
    run.advance(60000).sendRows("events", "0", row(65)).settle()
    assert(time(run) === Some(-1L), "partition 1 has a row that was not read")
    run.limit("events")(_ => Int.MaxValue).settle()
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(55000L))
  }

  scenario(
    "a partition that the source does not report any more leaves, and the others go on",
    appended(0)
  ) { run =>
    run.limit("events")(p => if (p == "0") 1 else Int.MaxValue)
    (0 to 1).foreach(p => run.sendRows("events", s"$p", row(0)))
    run.settle()
    assert(time(run) === Some(-1L))
    run.limit("events")(nothingOf("0"))
    run.sendRows("events", "0", row(1)).sendRows("events", "1", row(31)).advance(32000).settle()
    assert(time(run) === Some(-1L))
    run.delete("events", "0").settle()
    assert(time(run) === Some(30999L))
  }

  scenario(
    "files: a closed directory holds time back for no longer than the idle lag, and its " +
      "successors take over",
    appended(0, hasParts = false)
  ) { run =>
    run.sendRows("events", "1", row(0), row(5)).sendRows("events", "2", row(6))
    // The wall clock is that of the writers.
    run.advance(6000).settle()
    assert(time(run) === Some(4999L))
    // Segment 1 is closed; 2 goes on, and 3 follows it.
    run.advance(7000).sendRows("events", "2", row(12)).settle()
    assert(time(run) === Some(4999L))
    run.advance(10000).sendRows("events", "2", row(22)).sendRows("events", "3", row(23)).settle()
    assert(time(run).exists(t => t >= 10000 && t <= 13000))
    assert(run.take() === Seq(s"[$Start,${Start + 10})|3"))
    run.advance(20000).sendRows("events", "3", row(42)).settle()
    assert(time(run).exists(t => t >= 30000 && t <= 33000))
    assert(run.lateRows === Map.empty)
  }

  private def once(body: => Unit): () => Unit = {
    var isDone = false
    () => if (!isDone) { isDone = true; body }
  }

  scenario(
    "what is appended while a trigger asks its sources is not taken for read",
    appended(0, 0)
  ) { run =>
    run.sendRows("events", "0", row(0)).settle()
    // The source has said what there is when this runs, and the clock was not asked yet.
    val meanwhile = once {
      run.nowMs += 15000
      run.sendRows("events", "0", row(12))
    }
    run.limit("events")(_ => { meanwhile(); 0 }).settle()
    assert(time(run) === Some(0L), "up to when the trigger began")
    run.limit("events")(_ => Int.MaxValue).settle()
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(15000L))
  }

  test("what is appended while the first trigger asks its sources is not taken for read") {
    val run = appended(0, 0).start()
    run.sendRows("events", "0", row(0))
    var isFirst = true
    run.limit("events") { _ =>
      if (isFirst) {
        isFirst = false
        run.nowMs += 15000
        run.sendRows("events", "0", row(12))
        Int.MaxValue
      } else 0
    }
    run.settle()
    assert(time(run) === Some(0L), "up to when the trigger began")
    run.limit("events")(_ => Int.MaxValue).settle()
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(15000L))
  }

  test("what is appended while a run that ends by itself begins is not taken for read") {
    val run = appended(0, 0).start()
    run.sendRows("events", "0", row(0))
    run.runOnce {
      run.nowMs += 15000
      run.sendRows("events", "0", row(12))
      ()
    }
    assert(time(run) === Some(0L))
    run.runOnce()
    assert(run.lateRows === Map.empty)
    assert(time(run) === Some(15000L))
  }

  test("property: no event within the lag is late, time ascends, and all windows are whole") {
    (1 to 200).foreach { seed =>
      val random = new Random(seed)
      val run = appended(20000).start()
      var limits = Map.empty[String, Int]
      run.limit("events")(limits.getOrElse(_, Int.MaxValue))
      var sent = Seq.empty[Int]
      var second = 0
      var last = Option.empty[Long]
      (1 to 25).foreach { step =>
        val pause = random.nextInt(9)
        second += pause
        run.advance(pause * 1000L)
        (1 to random.nextInt(5)).foreach { _ =>
          val age = random.nextInt(21)
          run.sendRows("events", s"${random.nextInt(2 + step / 8)}", row(second.toDouble, age))
          sent :+= second - age
        }
        limits = (0 to 5).map(p => s"$p" -> random.nextInt(4)).toMap
        if (random.nextInt(6) == 0) run.stop()
        run.settle()
        val now = run.watermark("events")
        assert(now.forall(w => last.forall(w >= _)), s"seed $seed, step $step")
        last = now
      }
      limits = Map.empty
      run.settle()
      run.advance(3600000).settle()
      assert(run.lateRows === Map.empty, s"seed $seed")
      val expected = sent.groupBy(Math.floorDiv(_, 10)).toSeq.map { case (frame, events) =>
        val start = Start + frame * 10
        s"[$start,${start + 10})|${events.size}"
      }
      assert(run.take() === expected.sorted, s"seed $seed")
    }
  }
}
