package tidegate.core.clock

/** What the clock answers to whoever asks it again and again. */
class QueryClockSuite extends ClockScenarios {
  private val empty = ClockState.empty
  private val silence = Map.empty[String, NodeObservation]
  private def seen(tops: (String, Long)*) = NodeObservation(tops.toMap)
  private def readUpAt(ms: Long) = Some(SourceRound(isReadUp = true, isNew = false, endedMs = ms))

  private def one = counts(node("time")).spec

  test("a state before the first observation starts no batch; it says how the plan is") {
    val before = new QueryClock(one, empty, 1000L).step(empty, silence, None, 1000L, 1000L).get
    assert(before.givesSameAs(empty) && empty.givesSameAs(before) && !before.movesFrom(empty))
    assert(before.operators.keySet === Set("aggregate"))
    // Whoever asks for the watermark takes each state for a new time.
    val asked = one.copy(asked = Seq(NodeTime("time")))
    assert(new QueryClock(asked, empty, 1000L).step(empty, silence, None, 1000L, 1000L) === None)
  }

  test("the same object until something changes") {
    val clock = new QueryClock(one, empty, 1000L)
    val start = clock.step(empty, silence, None, 1000L, 1000L).get
    assert(clock.step(empty, silence, None, 1000L, 1000L).get eq start)
    val first =
      clock.step(empty, Map("time" -> seen("a" -> 5000000L)), readUpAt(1001L), 1001L, 1001L).get
    val second = clock.step(first, silence, readUpAt(1002L), 1002L, 1002L).get
    assert(second eq first)
    assert(first.savedAtMs === 1001L)
    val third =
      clock.step(first, Map("time" -> seen("a" -> 6000000L)), readUpAt(1003L), 1003L, 1003L).get
    assert((third ne first) && third.givesSameAs(first))
    val a = SavedSubstream("a", Vector(6000L), 1003L)
    assert(third.substreams("time").substreams === Seq(a))
  }

  test("a clock that goes on from a checkpoint answers with it until something changes") {
    val before = new QueryClock(one, empty, 1000L)
    val saved = before.step(empty, Map("time" -> seen("a" -> 5000000L)), None, 1000L, 1000L).get
    val clock = new QueryClock(one, saved, 2000L)
    assert(clock.step(saved, silence, None, 2000L, 2000L).get eq saved)
    assert(
      clock
        .step(saved, Map("time" -> seen("b" -> 5000000L)), readUpAt(2001L), 2001L, 2001L)
        .get ne saved
    )
  }

  private def top(second: Long) = Map("time" -> seen("a" -> second * 1000000L))

  test("a batch without rows is left out until something is due; rows are late as if it had run") {
    val clock = new QueryClock(one, empty, 1000L)
    def step(
        begin: ClockState,
        ms: Long,
        observed: Map[String, NodeObservation] = silence,
        due: Map[String, Option[NextDue]] = Map.empty
    ) = clock.step(begin, observed, readUpAt(ms), ms, ms, due).get
    def told(ms: Long, isOfAll: Boolean = true) =
      Map("aggregate" -> Option(NextDue(ms, isOfAll)))
    val first = step(empty, 1001L, top(15))
    val second = step(first, 1002L, top(35), told(50000L))
    assert(second.givesSameAs(first) && second.movesFrom(first))
    assert(second.skipped === None, "the batch may still run, with rows")
    val third = step(first, 1003L)
    assert(third.givesSameAs(first))
    assert(third.skipped === Some(second.times))
    assert(step(first, 1004L) eq third)
    // The batch has run with rows.
    val fourth = step(third, 1005L, top(45), told(40000L, isOfAll = false))
    assert(!fourth.givesSameAs(third), "40 seconds, which is earlier than what was known")
    assert(fourth.skipped === None)
    val fifth = step(fourth, 1006L, top(55), told(90000L, isOfAll = false))
    assert(!fifth.givesSameAs(fourth), "what was known before stays, if not all was seen")
    val sixth = step(fifth, 1007L, top(65), told(90000L))
    assert(sixth.givesSameAs(fifth))
    val unknown = step(sixth, 1008L, top(75), Map("aggregate" -> None))
    assert(!unknown.givesSameAs(sixth))
    val partly = step(unknown, 1009L, top(85), told(90000L, isOfAll = false))
    assert(!partly.givesSameAs(unknown), "nothing was known of the others")
  }

  test("a batch moves time within itself; the next begins there, and none is needed for it") {
    val clock = new QueryClock(one, empty, 1000L)
    assert(clock.step(empty, silence, None, 1000L, 1000L).get.givesSameAs(empty))
    val within = clock.stepWithin(empty, top(35), readUpAt(1001L), 1001L).get
    assert(within.nodes("time").watermarkMs === Some(35000L))
    val next = clock.step(empty, silence, readUpAt(1001L), 1002L, 1002L).get
    assert(next.skipped === Some(within) && next.times === within)
    assert(next.givesSameAs(empty), "the batch has closed all that it could")
    val batch = BatchTimes(empty, next)
    assert(batch.operator("aggregate").closedMs === 35000L)
    assert(batch.operator("aggregate").lateMs === 35000L)
    // A batch whose rows move nothing.
    assert(clock.stepWithin(next, top(36), readUpAt(1003L), 1003L) === None)
    val after = clock.step(next, silence, readUpAt(1003L), 1004L, 1004L).get
    assert(after.skipped === None && after.times === next.times)
    // One that has moved time, and time that has moved on since.
    val further = clock.stepWithin(after, top(45), readUpAt(1005L), 1005L).get
    val silent = clock.step(after, top(55), readUpAt(1005L), 1006L, 1006L).get
    assert(silent.skipped === Some(further) && !silent.givesSameAs(after))
  }

  test("a run goes on from the times to which a batch has come within itself") {
    val clock = new QueryClock(one, empty, 1000L)
    val within = clock.stepWithin(empty, top(35), None, 1001L)
    val restarted = new QueryClock(one, empty, 2000L, skippedBefore = within)
    val next = restarted.step(empty, top(35), readUpAt(2000L), 2000L, 2000L).get
    assert(Some(next.times) === within && next.skipped === within && next.givesSameAs(empty))
  }

  test("a batch is left out over a state too, also if its begin was read from text") {
    val over = counts(node("time").copy(isOverState = true)).spec
    val due = Map("aggregate" -> Option(NextDue(50000L, isOfAll = true)))
    for (isRead <- Seq(false, true)) {
      val clock = new QueryClock(over, empty, 1000L)
      val first = clock.step(empty, top(15), readUpAt(1001L), 1001L, 1001L).get
      // Time was a second behind, because a substream held it back that is idle now.
      val behind = first.copy(operators = first.operators.transform { (_, mark) =>
        mark.copy(evictionMs = mark.evictionMs.map(_ - 1000))
      })
      def read(text: String) =
        ClockCodec.read(text).fold(e => throw new AssertionError(e), identity)
      val begin = if (isRead) read(ClockCodec.write(behind)) else behind
      val second = clock.step(begin, silence, readUpAt(1002L), 1002L, 1002L, due).get
      assert(second.givesSameAs(begin) && second.movesFrom(begin))
      val third = clock.step(begin, silence, readUpAt(1003L), 1003L, 1003L).get
      assert(third.skipped === Some(second.times))
    }
  }

  test("a batch that an earlier run has left out counts until the next batch has run") {
    val saved = new QueryClock(one, empty, 1000L).step(empty, top(15), None, 1000L, 1000L).get
    val (before, left) = (saved.copy(skipped = Some(empty.times)), saved.times)
    val fresh = new QueryClock(one, before, 2000L)
    assert(fresh.step(before, silence, None, 2000L, 2000L).get.skipped === None)
    val clock = new QueryClock(one, before, 2000L, skippedBefore = Some(left))
    val first = clock.step(before, silence, None, 2000L, 2000L).get
    assert(first.skipped === Some(left))
    val second = clock.step(before, top(35), readUpAt(2001L), 2001L, 2001L).get
    assert(second.skipped === Some(left) && !second.givesSameAs(before))
    assert(clock.step(second, silence, readUpAt(2002L), 2002L, 2002L).get.skipped === None)
  }

  test("time goes on from a batch that an earlier run has left out") {
    val before = new QueryClock(one, empty, 1000L)
    val saved = before.step(empty, top(15), None, 1000L, 1000L).get
    val left = before.step(saved, top(35), readUpAt(1001L), 1001L, 1001L).get.times
    val clock = new QueryClock(one, saved, 2000L, skippedBefore = Some(left))
    assert(clock.watermarkFigures("time").flatMap(_.watermarkMs) === left.nodes("time").watermarkMs)
    // Another substream, which is behind.
    val behind = Map("time" -> seen("b" -> 16000000L))
    val first = clock.step(saved, behind, readUpAt(2001L), 2001L, 2001L).get
    val second = clock.step(first, behind, readUpAt(2002L), 2002L, 2002L).get
    for (state <- Seq(first, second)) {
      assert(state.nodes("time").watermarkMs === left.nodes("time").watermarkMs)
      assert(state.operators === left.operators)
    }
  }

  test("the time of a function in a state of the query, unions with what they remember") {
    val union = CoalescedTime(Seq(NodeTime("a"), NodeTime("b")))
    val spec = QuerySpec(Seq(node("a"), node("b")), Nil, asked = Seq(union))
    val clock = new QueryClock(spec, empty, 1000L)
    def at(ms: Long, name: String, second: Long, begin: ClockState) =
      clock.step(begin, Map(name -> seen("x" -> second * 1000000L)), readUpAt(ms), ms, ms).get
    val first = at(1000L, "a", 45, empty)
    assert(QueryClock.timeIn(spec, first, union).watermarkMs === None)
    assert(QueryClock.timeIn(spec, first, NodeTime("a")).watermarkMs === Some(45000L))
    at(2000L, "b", 11, first)
    at(7000L, "a", 46, first)
    val idle = clock.step(first, silence, readUpAt(7000L), 7001L, 7001L).get
    assert(QueryClock.timeIn(spec, idle, union).watermarkMs === Some(45000L))
    assert(idle.unions === Map("function(a, b)" -> 45000L))
    // The branch is back behind what was forwarded, and the union is where it was.
    val back = at(8000L, "b", 12, idle)
    assert(QueryClock.timeIn(spec, back, union).watermarkMs === Some(45000L))
    assert(
      QueryClock.timeIn(spec, back.copy(unions = Map.empty), union).watermarkMs === Some(11000L)
    )
    assert(
      QueryClock.timeIn(spec, back, BehindTime(NodeTime("b"), 1000L)).watermarkMs === Some(10000L)
    )
    val again = new QueryClock(spec, back, 9000L)
    val restarted = again.step(back, Map("b" -> seen("x" -> 22000000L)), None, 9000L, 9000L).get
    val afterRestart = QueryClock.timeIn(spec, restarted, union).watermarkMs
    assert(afterRestart === Some(45000L), "after a restart too")
  }

  test("a node that is new in the plan begins anew, one that has left is not written again") {
    val before = new QueryClock(one, empty, 1000L)
    val saved = before.step(empty, Map("time" -> seen("a" -> 5000000L)), None, 1000L, 1000L).get
    val other =
      QuerySpec(Seq(node("other")), Seq(OperatorSpec("aggregate", 0, NodeTime("other"), None)))
    val state = new QueryClock(other, saved, 2000L)
      .step(saved, Map("other" -> seen("a" -> 1000000L)), None, 2000L, 2000L)
      .get
    assert(state.nodes === Map("other" -> NodeMark(0, Some(1000L), idle = false)))
    assert(state.substreams.keySet === Set("other"))
    // An operator never goes back.
    val five = Some(5000L)
    assert(state.operators("aggregate") === OperatorMark(0, five, five, idle = false))
  }

  test("times of a hundred chained joins are computed in the time of a hundred") {
    def chain(depth: Int): InputTime = (1 to depth).foldLeft[InputTime](NodeTime("time")) {
      (time, i) => JoinTime(Seq(time, BehindTime(time, i)), Seq(time, NodeTime("time")))
    }
    val union = CoalescedTime(Seq(chain(100), NodeTime("time")))
    val spec = QuerySpec(one.nodes, Seq(OperatorSpec("join.left", 0, union, Some(chain(100)))))
    val clock = new QueryClock(spec, empty, 1000L)
    val state = clock.step(empty, Map("time" -> seen("a" -> 50000000L)), None, 1000L, 1000L).get
    assert(state.operators("join.left").watermarkMs === Some(50000L - 5050))
    assert(clock.operatorFigures("join.left").evictionHeldBackBy === Some("time"))
    assert(union.nodes === Seq("time"))
  }
}
