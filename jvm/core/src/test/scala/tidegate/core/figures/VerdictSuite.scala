package tidegate.core.figures

import scala.collection.immutable.SortedMap

import tidegate.core.clock._

/** Whether time moves, in a word, and whether it catches up. */
class VerdictSuite extends FiguresScenarios {

  private val StallMs = 600000L

  private def watched(idleAfterMs: Option[Long] = None) =
    orders(idleAfterMs).copy(stallMs = Some(StallMs))

  private def kind(run: ClockScenario): String = Verdicts.of(figures(run)).kind

  test("moving; waiting for a substream, since when; stalled; and moving again") {
    val run = counts(watched()).start()
    send(run, "a", 0)
    send(run, "b", -30).settle()
    assert(
      Verdicts.of(figures(run)) === Verdict(
        Verdict.Moving,
        "`orders` moves with `b`, the slowest, which is 30 s behind the newest.",
        Some("orders")
      )
    )
    run.advance(60000)
    send(run, "a", 60).settle()
    val startMs = run.nowMs - 60000
    val waiting = Verdicts.of(figures(run))
    assert(
      (waiting.kind, waiting.waitsFor, waiting.sinceMs) ===
        ((Verdict.Waiting, Some("b"), Some(startMs)))
    )
    run.advance(StallMs - 60001).settle()
    assert(kind(run) === Verdict.Waiting)
    run.advance(1).settle()
    assert(
      Verdicts.of(figures(run)) === Verdict(
        Verdict.Stalled,
        "`orders` has stood still since 1970-01-12T13:46:40Z or longer (10 min): it waits for `b`, " +
          "which is 1 min 30 s behind the newest and has had no row for 10 min.",
        Some("orders"),
        Some("b"),
        Some(startMs)
      )
    )
    assert(Explanation.of(figures(run)).contains(Verdicts.of(figures(run)).text))
    send(run, "b", 60).settle()
    assert(kind(run) === Verdict.Moving)
  }

  test("an undivided stream does not hold itself back") {
    val run = counts(watched().copy(columns = Nil)).start()
    send(run, "*", 0).settle()
    assert(kind(run) === Verdict.Moving)
    (1 to 3).foreach(_ => run.advance(StallMs).settle())
    val verdict = Verdicts.of(figures(run))
    assert((verdict.kind, verdict.waitsFor) === ((Verdict.Free, None)))
    assert(
      verdict.text === "Nothing holds `orders` back: its last row came 30 min ago, and time moves " +
        "only with rows."
    )
  }

  test("a slow start is no alarm: no row yet, and a first batch that takes long") {
    val run = counts(watched()).start().settle()
    assert(kind(run) === Verdict.Starting)
    val inBatch = figures(run).copy(atMs = run.nowMs + 3 * StallMs, batchSinceMs = Some(run.nowMs))
    assert(
      Verdicts.of(inBatch) === Verdict(
        Verdict.InBatch,
        "A batch has run since 1970-01-12T13:46:40Z (30 min): `orders` moves when it has ended.",
        Some("orders")
      )
    )
    (1 to 3).foreach(_ => run.advance(StallMs).settle())
    assert(kind(run) === Verdict.Free)
  }

  test("a batch that runs for long in a query that moves") {
    val run = counts(watched()).start()
    send(run, "a", 0).settle()
    def after(ms: Long) =
      Verdicts.of(figures(run).copy(atMs = run.nowMs + ms, batchSinceMs = Some(run.nowMs))).kind
    assert((after(StallMs - 1), after(StallMs)) === ((Verdict.Moving, Verdict.InBatch)))
  }

  test("rows without a time are stalled, not starting, when they have come for long") {
    val run = counts(watched()).start().settle()
    val noTimes = Map("orders" -> NodeObservation(Map("a" -> SubstreamClock.NoTime)))
    run.query.step(run.state, noTimes, None, run.nowMs, run.nowMs)
    assert(kind(run) === Verdict.Starting)
    (1 to 3).foreach(_ => run.advance(StallMs).settle())
    assert(kind(run) === Verdict.Stalled)
  }

  test("of several watermarks the worst decides; an idle one holds nothing back") {
    val deliveries = watched(Some(60000L)).copy(name = "deliveries", key = 1)
    val both = Seq(NodeTime("orders"), NodeTime("deliveries"))
    val run = counts(JoinTime(both, both), watched(), deliveries).start()
    send(run, "a", 0).settle()
    assert(
      (kind(run), Verdicts.deciding(figures(run))) === ((Verdict.Starting, Some("deliveries")))
    )
    run.advance(60000)
    send(run, "a", 60).settle()
    run.advance(1)
    send(run, "a", 61).settle()
    assert(figures(run).watermarks("deliveries").idle)
    assert((kind(run), Verdicts.deciding(figures(run))) === ((Verdict.Moving, Some("orders"))))
    val ended = Verdicts.of(figures(run).copy(state = RunState.Ended))
    assert(ended === Verdict(Verdict.Ended, "The query has ended."))
    val failed = Verdicts.of(figures(run).copy(state = RunState.failed("no space.")))
    assert(failed === Verdict(Verdict.Failed, "The query has failed: no space."))
  }

  private def batch(atSeconds: Long, watermarkSeconds: Long): BatchFigures = {
    val w = WatermarkFigures(0, Some(watermarkSeconds * 1000), false, None, None, 0, 1, 0, 0, 0)
    BatchFigures(atSeconds, atSeconds * 1000, 0, 1, SortedMap("orders" -> w))
  }

  private def pace(atSeconds: Long, batches: BatchFigures*): Option[Pace] =
    Pace.of(QueryFigures(ids, RunState.Running, atSeconds * 1000, batches = batches), "orders")

  test("catching up: event seconds per second, and when it is there") {
    assert(pace(1000) === None)
    assert(pace(1000, batch(1000, 100)) === None)
    val found = pace(1020, batch(1000, 100), batch(1010, 410)).get
    assert(found === Pace(Pace.CatchingUp, 31.0, 10000, Some(1020000 + 610000 / 30)))
    assert(found.text(1020000) === "catching up: 31 event seconds per second, there in 20 s")
  }

  test("keeps its distance, falls behind, or is up to date") {
    def text(last: Long) = pace(1100, batch(1000, 100), batch(1100, last)).get.text(1100000)
    assert(text(200) === "keeps its distance: 1.0 event seconds per second")
    assert(text(150) === "falling behind: 0.5 event seconds per second")
    assert(text(1040) === "up to date")
  }

  test("only the batches of the last ten minutes count, but two in any case") {
    assert(
      pace(5000, batch(0, 0), batch(4000, 1000), batch(4500, 2000)).map(_.perSecond) === Some(2.0)
    )
    assert(pace(4600, batch(0, 0), batch(4000, 2000)).map(_.perSecond) === Some(0.5))
    assert(pace(4601, batch(0, 0), batch(4000, 2000)) === None)
  }
}
