package tidegate.core.policy

import org.scalacheck.Gen
import tidegate.core.PropertySuite
import tidegate.core.policy.PolicyOracle._

class WatermarkPolicyProperties extends PropertySuite {

  /** A call, and whether a save and restore comes before it. */
  private type Step = (Call, Boolean)

  private val lags = Gen.frequency(1 -> Gen.const(0L), 4 -> Gen.choose(0L, 60L))
  private val delays = Gen.frequency(1 -> Gen.oneOf(0L, 1L, 16L, 17L), 4 -> Gen.choose(0L, 300L))

  /** The wall clock mostly goes on, sometimes leaps, and sometimes jumps back. */
  private val clockSteps = Gen.frequency(
    10 -> Gen.choose(0L, 20L),
    2 -> Gen.choose(0L, 400L),
    1 -> Gen.choose(-100L, 0L)
  )

  private val histories: Gen[List[Step]] = for {
    startMs <- Gen.choose(-500L, 500L)
    parts <- Gen.listOf(
      for {
        stepMs <- clockSteps
        aheadMs <- Gen.choose(-60L, 60L)
        isEvent <- Gen.prob(0.6)
        restart <- Gen.prob(0.1)
      } yield (stepMs, aheadMs, isEvent, restart)
    )
  } yield {
    val nows = parts.map(_._1).scanLeft(startMs)(_ + _).tail
    parts.zip(nows).map { case ((_, aheadMs, isEvent, restart), nowMs) =>
      (if (isEvent) Event(nowMs + aheadMs, nowMs) else Poll(nowMs), restart)
    }
  }

  private def perform(policy: WatermarkPolicy, call: Call, shiftMs: Long = 0): Option[Long] =
    call match {
      case Event(timestampMs, nowMs) => policy.observeEvent(timestampMs, nowMs + shiftMs)
      case Poll(nowMs)               => policy.currentWatermark(nowMs + shiftMs)
    }

  /**
   * The watermark after every call, with the history up to it; the wall clock goes on by `pauseMs`
   * during every restart.
   */
  private def run(policy: () => WatermarkPolicy, steps: List[Step], pauseMs: Long = 0)(
      check: (Seq[Call], Option[Long]) => Any
  ): Unit = {
    var current = policy()
    var shiftMs = 0L
    var history = Vector.empty[Call]
    steps.foreach { case (call, restart) =>
      if (restart) {
        val saved = current.snapshot
        current = policy()
        current.restore(saved, pauseMs)
        assertResult(saved.values.size)(current.snapshot.values.size)
        shiftMs += pauseMs
      }
      history :+= call
      val _ = check(history, perform(current, call, shiftMs))
    }
  }

  private def matches(policy: () => WatermarkPolicy, oracle: Oracle, steps: List[Step]): Unit =
    run(policy, steps)((history, watermark) => assertResult(oracle(history))(watermark))

  test("fixed lag is the highest timestamp minus the lag, across save and restore") {
    forAll(lags, histories) { (lagMs, steps) =>
      matches(() => new FixedLag(lagMs), fixedLag(lagMs), steps)
    }
  }

  test("lag and lull is what the whole history gives, across save and restore") {
    forAll(lags, delays, histories) { (lagMs, maxLullMs, steps) =>
      matches(
        () => new LimitingLagAndLull(lagMs, maxLullMs),
        lagAndLull(lagMs, maxLullMs),
        steps
      )
    }
  }

  test("timestamp and wall clock lag is what the whole history gives, across save and restore") {
    forAll(lags, delays, histories) { (timestampLagMs, wallClockLagMs, steps) =>
      matches(
        () => new LimitingTimestampAndWallClockLag(timestampLagMs, wallClockLagMs),
        timestampAndWallClockLag(timestampLagMs, wallClockLagMs),
        steps
      )
    }
  }

  test("lag and delay is never late, less than a sixteenth of the delay early, never above top") {
    forAll(lags, delays, histories) { (lagMs, maxDelayMs, steps) =>
      val latest = lagAndDelay(lagMs, maxDelayMs)
      val earliest = lagAndDelay(lagMs, math.min(maxDelayMs, maxDelayMs * 15 / 16 + 1))
      val top = fixedLag(0)
      run(() => new LimitingLagAndDelay(lagMs, maxDelayMs), steps) { (history, watermark) =>
        val bounds = Seq(latest(history), watermark, earliest(history), top(history))
        assertResult(bounds.sorted)(bounds)
      }
    }
  }

  test("a delay of at most 16 ms is exact") {
    forAll(lags, Gen.choose(0L, 16L), histories) { (lagMs, maxDelayMs, steps) =>
      matches(
        () => new LimitingLagAndDelay(lagMs, maxDelayMs),
        lagAndDelay(lagMs, maxDelayMs),
        steps
      )
    }
  }

  test("no more than 16 buckets are saved") {
    forAll(delays, histories) { (maxDelayMs, steps) =>
      val policy = new LimitingLagAndDelay(1000, maxDelayMs)
      steps.foreach { case (call, _) =>
        perform(policy, call)
        assert(policy.snapshot.values.size <= 2 + 2 * 16)
      }
    }
  }

  private val pausable: Seq[(String, (Long, Long) => WatermarkPolicy)] = Seq(
    "fixed lag" -> ((lagMs, _) => new FixedLag(lagMs)),
    "lag and delay" -> (new LimitingLagAndDelay(_, _)),
    "lag and lull" -> (new LimitingLagAndLull(_, _))
  )

  pausable.foreach { case (name, make) =>
    test(s"$name: the time for which a query was stopped does not count") {
      forAll(lags, delays, Gen.choose(0L, 100000L), histories) { (lagMs, limitMs, pauseMs, steps) =>
        val undisturbed = make(lagMs, limitMs)
        run(() => make(lagMs, limitMs), steps, pauseMs) { (history, watermark) =>
          assertResult(perform(undisturbed, history.last))(watermark)
        }
      }
    }
  }

  private val all = pausable :+
    ("timestamp and wall clock lag" -> (new LimitingTimestampAndWallClockLag(_, _)))

  all.foreach { case (name, make) =>
    test(s"$name: the watermark never goes back, at any times and restarts") {
      val anyTime = Gen.frequency(
        3 -> Gen.choose(-100L, 100L),
        1 -> Gen.oneOf(Long.MinValue, Long.MinValue + 1, Long.MaxValue - 1, Long.MaxValue),
        1 -> Gen.long
      )
      val anyCall = Gen.oneOf(
        anyTime.map(Poll(_)),
        anyTime.flatMap(timestampMs => anyTime.map(Event(timestampMs, _)))
      )
      val duration = Gen.frequency(3 -> delays, 1 -> Gen.oneOf(Long.MaxValue - 1, Long.MaxValue))
      forAll(duration, duration, Gen.listOf(Gen.zip(anyCall, Gen.prob(0.1)))) {
        (lagMs, limitMs, steps) =>
          var last = Option.empty[Long]
          run(() => make(lagMs, limitMs), steps) { (_, watermark) =>
            assertResult(Seq(last, watermark).sorted)(Seq(last, watermark))
            assert(!watermark.contains(Long.MinValue))
            last = watermark
          }
      }
    }
  }
}
