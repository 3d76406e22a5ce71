package tidegate.core.clock

import scala.collection.immutable.SortedMap

import tidegate.core.clock.ClockEvent.{Ended, Stalled, Withheld}
import tidegate.core.figures.WatermarkFigures

/** Since when time stands, who holds it, and when that is told. */
class HeldTimeScenarios extends ClockScenarios {

  private val StallMs = 600000L

  private def orders(idleAfterMs: Option[Long] = None) =
    node("orders", idleAfterMs = idleAfterMs).copy(stallMs = Some(StallMs))

  private def stalls(run: ClockScenario): Seq[ClockEvent] =
    run.takeEvents().collect { case e @ (_: Stalled | _: Withheld) => e }

  private def figures(run: ClockScenario): WatermarkFigures =
    run.query.watermarkFigures("orders").get

  test("who holds time, since when and by how much") {
    val run = counts(orders(Some(5000L))).start()
    val startMs = run.nowMs
    run.send("orders", "a", 30).send("orders", "b", 3).settle()
    assert(
      figures(run) === WatermarkFigures(
        key = 0,
        watermarkMs = Some(3000L),
        idle = false,
        heldBackBy = Some("b"),
        heldSinceMs = Some(startMs),
        heldBackMs = 27000,
        activeSubstreams = 2,
        idleSubstreams = 0,
        unreadSubstreams = 0,
        movedAtMs = startMs,
        holders = SortedMap("b" -> 3000L)
      )
    )
    run.advance(1000).send("orders", "b", 4).settle()
    assert(figures(run).heldSinceMs === Some(startMs))
    assert(figures(run).movedAtMs === startMs + 1000)
    run.advance(1000).send("orders", "b", 35).settle()
    assert(figures(run).heldBackBy === Some("a"))
    assert(figures(run).heldSinceMs === Some(startMs + 2000))
    assert(figures(run).heldBackMs === 5000)
    assert(figures(run).holders === SortedMap("a" -> 30000L, "b" -> 35000L))
    run.advance(5000).settle()
    assert((figures(run).heldBackBy, figures(run).heldSinceMs) === ((None, None)))
    assert((figures(run).activeSubstreams, figures(run).idleSubstreams) === ((0, 2)))
  }

  test("after a restart nothing is known of before") {
    val run = counts(orders()).start()
    run.send("orders", "a", 30).send("orders", "b", 3).settle()
    run.advance(7000).restart()
    assert(figures(run).heldBackBy === Some("b"))
    assert(figures(run).heldSinceMs === Some(run.nowMs))
    assert(figures(run).movedAtMs === run.nowMs)
  }

  test("time that is held for too long is told, and again when it has become twice as long") {
    val run = counts(orders()).start()
    run.send("orders", "a", 30).send("orders", "b", 3).settle()
    run.advance(StallMs - 1).send("orders", "a", 40).settle()
    assert(stalls(run) === Nil)
    run.advance(1).settle()
    def stalled(ms: Long, heldBackMs: Long = 37000) =
      Stalled("orders", Some(3000L), ms, Some("b"), heldBackMs, ms, isBehind = false)
    assert(stalls(run) === Seq(stalled(StallMs)))
    run.advance(StallMs - 1).settle()
    assert(stalls(run) === Nil)
    run.advance(1).settle()
    assert(stalls(run) === Seq(stalled(2 * StallMs)))
    // What moves, and is held again, is told again.
    run.send("orders", "b", 4).settle()
    run.advance(StallMs).settle()
    val Seq(Stalled(_, _, stillMs, Some("b"), 36000, _, false)) = stalls(run): @unchecked
    assert(stillMs === StallMs)
  }

  test("a watermark that its emission lets move rarely is not held") {
    val run = counts(orders()).start()
    run.send("orders", "a", 1).settle()
    (2 to 9).foreach { second =>
      run.advance(StallMs / 2).send("orders", "a", second.toDouble).settle()
    }
    assert(run.watermark("orders") === Some(1000L))
    assert(stalls(run) === Nil)
  }

  test("a stream that is idle is not held, nor one that has become active just now") {
    val run = counts(orders(Some(5000L))).start()
    run.send("orders", "a", 30).settle()
    run.advance(100 * StallMs).settle()
    run.advance(100 * StallMs).settle()
    assert(run.isIdle("orders"))
    run.send("orders", "a", 20).settle()
    assert(!run.isIdle("orders"))
    assert(stalls(run) === Nil)
  }

  test("a stream without a row, which holds back others for ever, is told") {
    val run = counts(orders()).start().settle()
    run.advance(StallMs).settle()
    assert(stalls(run) === Seq(Stalled("orders", None, StallMs, None, 0, StallMs, false)))
  }

  test("rows that are not read: the substream is said to be behind") {
    val run = counts(orders().copy(hasParts = true)).start()
    run.limit("orders")(part => if (part == "b") 0 else 9)
    run.send("orders", "a", 30).send("orders", "b", 3).settle()
    assert(figures(run).unreadSubstreams === 1)
    run.advance(StallMs).settle()
    val Seq(told) = stalls(run): @unchecked
    assert(told === Stalled("orders", None, StallMs, Some("b"), 0, 0, isBehind = true))
  }

  test("a run of its own end is told to have ended, once") {
    val run = counts(orders().copy(flush = true)).start()
    run.send("orders", "a", 30).runOnce()
    assert(run.takeEvents().collect { case e: Ended => e } === Seq(Ended("orders")))
  }

  test("a source that reports rows and gives none is told after a while, until it gives some") {
    val clock = new QueryClock(counts(orders()).spec, ClockState.empty, 0)
    def round(atMs: Long, withheld: Boolean) = {
      val said = SourceRound(
        isReadUp = false,
        isNew = !withheld,
        atMs,
        withheld = if (withheld) Map("orders" -> "Kafka") else Map.empty
      )
      clock.step(ClockState.empty, Map.empty, Some(said), atMs, atMs)
      clock.takeEvents().collect { case w: Withheld => w }
    }
    assert(round(0, withheld = true) === Nil)
    assert(round(StallMs - 1, withheld = true) === Nil)
    assert(round(StallMs, withheld = true) === Seq(Withheld("orders", "Kafka", StallMs)))
    assert(round(StallMs + 1, withheld = true) === Nil)
    assert(round(StallMs + 2, withheld = false) === Nil)
    assert(round(StallMs + 3, withheld = true) === Nil)
    assert(round(2 * StallMs + 2, withheld = true) === Nil)
    assert(round(2 * StallMs + 3, withheld = true).size === 1)
  }
}
