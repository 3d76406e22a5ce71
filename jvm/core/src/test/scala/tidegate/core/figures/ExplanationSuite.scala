package tidegate.core.figures

import scala.collection.immutable.SortedMap

import tidegate.core.clock._

/** Whole explanations, of queries on the clock alone. */
class ExplanationSuite extends FiguresScenarios {

  private def explain(run: ClockScenario): Seq[String] = lines(figures(run))

  private def lines(query: QueryFigures): Seq[String] =
    Explanation.of(query).linesIterator.toSeq

  private def withOrders(query: QueryFigures)(
      change: WatermarkFigures => WatermarkFigures
  ): QueryFigures = query.copy(watermarks = query.watermarks.transform((_, w) => change(w)))

  private def withLate(query: QueryFigures, late: Count): QueryFigures =
    query.copy(operators = query.operators.transform((_, o) => o.copy(lateRows = late)))

  test("before the first trigger") {
    val nothing = QueryFigures(ids, RunState.Running, 0)
    assert(
      lines(nothing) === Seq(
        "The query `hourly` runs; it is 1970-01-01T00:00:00Z. It has not asked its sources for " +
          "rows yet."
      )
    )
  }

  test("no row yet, and then idle without one") {
    val run = counts(orders()).start().settle()
    run.advance(3000).settle()
    assert(
      explain(run) === Seq(
        "The query `hourly` runs; it is 1970-01-12T13:46:43Z.",
        "",
        "`orders` has no time yet: its stream has had no row since the query was started, 3 s ago.",
        "  What helps: rows. If the source has some, a filter before the watermark may remove all.",
        "",
        "`aggregate` waits for `orders`, which has no time yet."
      )
    )
    run.advance(60000).settle()
    assert(
      explain(run).drop(2) === Seq(
        "`orders` has no time yet: its stream has had no row for 1 min 3 s, and holds nothing back " +
          "as long as it has none.",
        "",
        "`aggregate` waits for `orders`, which has no time yet."
      )
    )
  }

  test("rows without a time: all NULL, or all too far in the future") {
    val clock = new QueryClock(counts(orders()).spec, ClockState.empty, 0)
    val seen = Map("orders" -> NodeObservation(Map("a" -> SubstreamClock.NoTime)))
    clock.step(ClockState.empty, seen, None, 0, 0)
    val without = figures(counts(orders()).start().settle())
      .copy(watermarks = clock.watermarkFigures(detailed = true), operators = SortedMap.empty)
    assert(
      lines(without).drop(2) ===
        Seq("`orders` has no time yet: its stream has rows, but none with a time.")
    )
    assert(
      lines(withOrders(without)(_.copy(futureEvents = Count(0, 3)))).drop(2) === Seq(
        "`orders` has no time yet: its stream has rows, but the times of all are NULL or too far " +
          "in the future.",
        "3 rows since the query was started had a time further in the future than maxFutureSkew, " +
          "and moved no time."
      )
    )
  }

  test("nothing holds time back; then the stream falls silent") {
    val run = counts(orders(None)).start()
    send(run, "a", 0).settle()
    run.advance(2000).settle()
    val head = "`orders` is at 1970-01-12T13:46:40Z, "
    assert(
      explain(run).drop(2) === Seq(
        head + "2 s behind the wall clock.",
        "Nothing holds `orders` back: its last row came 2 s ago.",
        "",
        "`aggregate` follows `orders`, which nothing holds back."
      )
    )
    run.advance(3600000).settle()
    assert(
      explain(run).slice(2, 5) === Seq(
        head + "1 h behind the wall clock.",
        "Nothing holds `orders` back: its last row came 1 h ago, and time moves only with rows.",
        "  What helps: a policy that goes on with the wall clock in a lull, such as limitingLagAndLull."
      )
    )
  }

  test("a lull in which time goes on with the wall clock") {
    val lull = orders(None).copy(policy = lagAndLull(0, 5000))
    val run = counts(lull).start()
    send(run, "a", 0).settle()
    run.advance(120000).settle()
    assert(
      explain(run).slice(2, 4) === Seq(
        "`orders` is at 1970-01-12T13:48:35Z, 5 s behind the wall clock.",
        "Nothing holds `orders` back: its last row came 2 min ago, and without rows time goes on " +
          "with the wall clock."
      )
    )
  }

  test("a substream that is behind, while its rows come; restarted") {
    val run = counts(orders()).start()
    send(run, "a", 0)
    send(run, "b", -300).settle()
    run.advance(1000)
    send(run, "b", -299).settle()
    val waits = "is 4 min 59 s behind the newest"
    assert(
      explain(run).drop(2) === Seq(
        "`orders` is at 1970-01-12T13:41:41Z, 5 min behind the wall clock.",
        s"`orders` waits for `b`, which $waits, since 1970-01-12T13:46:40Z or longer: the query was " +
          "started then.",
        "  Its rows are that old: time waits for them, so that they are not late.",
        "",
        s"`aggregate` waits for `b` of `orders`, which $waits."
      )
    )
    run.advance(5000).restart()
    assert(
      explain(run).slice(3, 5) === Seq(
        s"`orders` waits for `b`, which $waits, since 1970-01-12T13:46:46Z or longer: the query was " +
          "started then.",
        "  Its rows are that old: time waits for them, so that they are not late."
      )
    )
  }

  test("a silent substream: a little behind, until its timeout, and without one") {
    val run = counts(orders(Some(600000L))).start()
    def silent(run: ClockScenario) = {
      send(run, "b", 5)
      send(run, "a", 0).settle()
      run.advance(10000)
      send(run, "b", 20)
      send(run, "a", 15).settle()
      run.advance(20000)
      send(run, "a", 29).settle()
    }
    silent(run)
    val behind = "is 9 s behind the newest and has had no row for"
    assert(
      explain(run).drop(3) === Seq(
        s"`orders` moves with `b`, the slowest, which $behind 20 s.",
        "",
        "`aggregate` follows `orders`, which moves."
      )
    )
    run.advance(60000).settle()
    val waits =
      s"`orders` waits for `b`, which $behind 1 min 20 s, since 1970-01-12T13:47:10Z (1 min)."
    assert(explain(run).slice(3, 5) === Seq(waits, "  It is left out after 10 min without a row."))
    val never = figures(run)
    val endless =
      withOrders(never)(w => w.copy(detail = w.detail.map(_.copy(idleAfterMs = None))))
    assert(
      lines(endless)(4) === "  It has no idle timeout, so time waits for ever. What helps: " +
        "idleTimeout, such as idleTimeout=\"60 seconds\", leaves a silent substream out."
    )
    assert(
      lines(never.copy(atMs = run.nowMs + 720000))(
        4
      ) === "  That is longer than its idle timeout " +
        "of 10 min, but silence counts only when the query has read all that its sources have, and " +
        "knows it."
    )
    val patient = counts(orders().copy(idleBehindMs = Some(300000L))).start()
    silent(patient)
    patient.advance(60000).settle()
    assert(explain(patient)(4) === "  It is left out after 5 min without a row.")
  }

  test("an idle substream that is left out, and all idle") {
    val run = counts(orders()).start()
    send(run, "a", 0)
    send(run, "b", -300)
    send(run, "c", -200).settle()
    (1 to 7).foreach { n =>
      run.advance(10000)
      send(run, "a", n * 10.0).settle()
    }
    assert(
      explain(run).drop(2) === Seq(
        "`orders` is at 1970-01-12T13:47:50Z, 0 s behind the wall clock.",
        "Nothing holds `orders` back: its last row came just now.",
        "2 of its 3 substreams are idle and left out: `b`, `c`.",
        "",
        "`aggregate` follows `orders`, which nothing holds back."
      )
    )
    run.advance(60000).settle()
    run.advance(60000).settle()
    assert(
      explain(run).drop(2) === Seq(
        "`orders` is at 1970-01-12T13:47:50Z, 2 min behind the wall clock.",
        "All 3 substreams are idle (the last row came 2 min ago): `orders` holds nothing back, and " +
          "time stands still until a row comes.",
        "  What helps: a policy that goes on with the wall clock in a lull, such as limitingLagAndLull.",
        "",
        "`aggregate` follows `orders`, which is idle and holds nothing back."
      )
    )
  }

  test("partitions with rows to read") {
    val kafka = orders().copy(columns = Seq("partition INT"), hasParts = true)
    val run = counts(kafka).start()
    send(run, "3", 0)
    send(run, "7", -300, -299, -298, -297)
    run.limit("orders")(part => if (part == "7") 1 else 9)
    run.send("orders", "3")
    // One batch has run, and the next one waits.
    run.onBatch = n => if (n == 1) run.limit("orders")(part => if (part == "7") 0 else 9): Unit
    run.settle()
    val unread = withOrders(figures(run)) { w =>
      w.copy(detail = w.detail.map { d =>
        d.copy(substreams = d.substreams.transform((_, s) => s.copy(unreadRows = Some(12000L))))
      })
    }
    assert(
      lines(unread).drop(2) === Seq(
        "`orders` is at 1970-01-12T13:41:41Z, 4 min 59 s behind the wall clock.",
        "`orders` waits for partition 7, which is 4 min 59 s behind the newest and has 12,000 rows " +
          "to read, since 1970-01-12T13:46:40Z or longer: the query was started then.",
        "  What helps: more cores, or more rows in a batch, so that the query catches up with what " +
          "is there to be read.",
        "",
        "`aggregate` waits for partition 7 of `orders`, which is 4 min 59 s behind the newest and " +
          "has 12,000 rows to read."
      )
    )
    assert(explain(run)(3).contains("is 4 min 59 s behind the newest and has rows to read, since"))
  }

  test("a partition that was never read") {
    val kafka = orders().copy(columns = Seq("topic STRING", "partition INT"), hasParts = true)
    val run = counts(kafka).start()
    run.limit("orders")(part => if (part == "orders/7") 0 else 9)
    send(run, "orders/3", 0)
    send(run, "orders/7", -300).settle()
    assert(
      explain(run).drop(2) === Seq(
        "`orders` has no time yet: it waits for partition orders/7, which has rows to read and was " +
          "never read.",
        "",
        "`aggregate` waits for partition orders/7 of `orders`, which has rows to read and was never " +
          "read."
      )
    )
  }

  test("rows that were late: a larger lag, or what the log said of a pause") {
    val run = counts(orders()).start()
    send(run, "a", 0).settle()
    val late = withLate(figures(run), Count(1200, 181042))
    val dropped =
      "`aggregate` has dropped 181,042 rows as late since the query was started, 1,200 " +
        "of them in the last batch."
    assert(
      lines(late).takeRight(2) === Seq(
        dropped,
        "  What helps: a larger lag, if such rows are expected. The log describes some of them, " +
          "each with the lag that would have kept it."
      )
    )
    val byHowMuch = LatenessFigures(
      LateRowFigures(1200, 4000, 90000),
      SortedMap("a" -> LateRowFigures(200, 1, 1), "b" -> LateRowFigures(1000, 4000, 90000))
    )
    assert(
      lines(late.copy(operators = late.operators.transform { (_, o) =>
        o.copy(lateness = Some(byHowMuch))
      })).takeRight(2).head ===
        "Half of them were late by at most 4 s, the latest by 1 min 30 s. Most of them came from " +
        "`b` 1,000, `a` 200."
    )
    val event = TimeEvent(0, TimeEvent.LateAfterIdle, "orders", Seq("b"), 3, "3 rows were late.")
    assert(
      lines(late.copy(events = Seq(event))).takeRight(2) ===
        Seq(dropped, "  At 1970-01-01T00:00:00Z, 3 rows were late.")
    )
    assert(
      lines(withLate(late, Count(0, 1))).takeRight(2).head ===
        "`aggregate` has dropped 1 row as late since the query was started."
    )
  }

  test("a query that has ended, one that has failed, and one whose time has ended") {
    val run = counts(orders().copy(flush = true)).start()
    send(run, "a", 0).runOnce()
    val last = "The following is what was true at its last trigger, at 1970-01-12T13:46:40Z."
    assert(
      lines(figures(run).copy(state = RunState.Ended)) === Seq(
        s"The query `hourly` has ended. $last",
        "",
        "`orders` is at the end of time: its run was flushed, and no row is expected any more.",
        "",
        "`aggregate` follows `orders`, whose time has ended."
      )
    )
    assert(
      lines(figures(run).copy(state = RunState.failed("no space.\nat line 3"))).head ===
        s"The query `hourly` has failed: no space. $last"
    )
  }

  test("a join: what each side waits for, and what its state waits for") {
    val deliveries = orders().copy(name = "deliveries", key = 1)
    val spec = QuerySpec(
      Seq(orders(), deliveries),
      Seq(
        OperatorSpec("join.left", 0, NodeTime("orders"), Some(NodeTime("deliveries"))),
        OperatorSpec("join.right", 1, NodeTime("deliveries"), None)
      )
    )
    val run = ClockScenarios.Query(spec).start()
    send(run, "a", 0)
    send(run, "b", -60).settle()
    assert(
      explain(run).drop(2) === Seq(
        "`deliveries` has no time yet: its stream has had no row since the query was started, just " +
          "now.",
        "  What helps: rows. If the source has some, a filter before the watermark may remove all.",
        "",
        "`orders` is at 1970-01-12T13:45:40Z, 1 min behind the wall clock.",
        "`orders` waits for `b`, which is 1 min behind the newest, since 1970-01-12T13:46:40Z or " +
          "longer: the query was started then.",
        "  Its rows are that old: time waits for them, so that they are not late.",
        "",
        "`join.left` waits for `b` of `orders`, which is 1 min behind the newest.",
        "The state of `join.left` waits for `deliveries`, which has no time yet.",
        "",
        "`join.right` waits for `deliveries`, which has no time yet.",
        "Rows stay in the state of `join.right` for ever: nothing says from when on they are not " +
          "needed."
      )
    )
  }

  test("words: durations, numbers and lists") {
    assert(
      Seq(0L, 1L, 999L, 1250L, 61000L, 3600000L, 3605000L, 90061000L, -5L).map(Words.duration) ===
        Seq("0 s", "1 ms", "999 ms", "1 s", "1 min 1 s", "1 h", "1 h", "1 d 1 h", "0 s")
    )
    assert(Words.count(1, "row") === "1 row")
    assert(Words.count(1234567, "row") === "1,234,567 rows")
    assert(Words.names(Seq("a", "b"), 5) === "`a`, `b` and 3 more")
  }
}
