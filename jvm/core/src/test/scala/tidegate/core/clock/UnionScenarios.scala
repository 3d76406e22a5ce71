package tidegate.core.clock

/** Where several streams meet: what holds time back, and what idleness does. */
class UnionScenarios extends ClockScenarios {

  private def union = counts(CoalescedTime(Seq(NodeTime("a"), NodeTime("b"))), node("a"), node("b"))

  /** Of `scan1` and `scan2` on equal times. */
  private val join: InputTime = {
    val sides = Seq(NodeTime("scan1"), NodeTime("scan2"))
    JoinTime(sides, sides)
  }

  private def overJoin = counts(
    CoalescedTime(Seq(join, NodeTime("scan3"))),
    node("scan1"),
    node("scan2", key = 1),
    node("scan3")
  )

  scenario("the minimum of both, and the name of the one that it is", union) { run =>
    run.send("a", "x", 45).settle()
    assert(run.time("aggregate") === None)
    assert(run.operator("aggregate").heldBackBy === "b")
    run.send("b", "x", 31).settle()
    assert(run.time("aggregate") === Some(31.0))
    run.send("b", "x", 99).settle()
    assert(run.time("aggregate") === Some(45.0))
    assert(run.operator("aggregate").heldBackBy === "a")
    assert(run.operator("aggregate").evictionHeldBackBy === Some("a"))
  }

  test("an idle branch is left out, and comes back without going back in time, restarts included") {
    val run = union.start()
    run.send("a", "x", 12).send("b", "x", 11).settle()
    assert(run.time("aggregate") === Some(11.0))
    run.advance(4000).send("a", "x", 45).settle()
    run.advance(1000).settle()
    assert(run.time("aggregate") === Some(45.0))
    assert(run.take() === Seq("[10,20)|2"))
    run.restart()
    assert(run.time("aggregate") === Some(45.0))
    // Behind what was already forwarded: time stands, and a row of a closed window is late.
    run.send("b", "x", 20, 44).settle()
    assert(run.time("aggregate") === Some(45.0))
    assert(run.operator("aggregate").heldBackBy === "b")
    assert(run.lateRows === Map("aggregate" -> 1))
    run.send("a", "x", 55).send("b", "x", 55).settle()
    assert(run.take() === Seq("[40,50)|2"))
  }

  scenario("all branches idle: the highest watermark leaves, and the union is idle", union) { run =>
    run.send("a", "x", 45).send("b", "x", 11).settle()
    run.advance(5000).settle()
    assert(run.time("aggregate") === Some(45.0))
    assert(run.operator("aggregate").idle)
    assert(run.operator("aggregate").heldBackBy === "a")
  }

  test("aggr(merge(join(scan1, scan2), scan3)): a join that is idle does not stop the aggregate") {
    val run = overJoin.start()
    Seq("scan1", "scan2", "scan3").foreach(run.send(_, "x", 11))
    run.settle()
    assert(run.time("aggregate") === Some(11.0))
    run.advance(4000).send("scan3", "x", 45).settle()
    assert(run.time("aggregate") === Some(11.0))
    run.advance(1000).settle()
    assert(run.time("aggregate") === Some(45.0))
    // Silence goes on over a restart.
    run.restart()
    assert(run.time("aggregate") === Some(45.0))
    run.advance(4000).send("scan3", "x", 65).settle()
    assert(run.time("aggregate") === Some(65.0))
  }

  scenario("one side of the join idle: the join still holds the union back", overJoin) { run =>
    Seq("scan1", "scan2", "scan3").foreach(run.send(_, "x", 11))
    run.settle()
    run.advance(5000).send("scan1", "x", 30).send("scan3", "x", 45).settle()
    assert(run.time("aggregate") === Some(11.0))
    assert(run.operator("aggregate").heldBackBy === "scan2")
  }

  /** `scan3` with the inner join, where its rows wait for partners up to ten seconds older. */
  private def nestedJoins = ClockScenarios.Query(
    QuerySpec(
      Seq(node("scan1"), node("scan2", key = 1), node("scan3", key = 2)),
      Seq(
        OperatorSpec("join-2.left", 0, join, Some(BehindTime(NodeTime("scan3"), 10000L))),
        OperatorSpec("join-2.right", 2, NodeTime("scan3"), Some(join))
      )
    )
  )

  test(
    "join(join(scan1, scan2), scan3): inner idle, the outer waits, keeps its rows and says why"
  ) {
    val run = nestedJoins.start()
    Seq("scan1", "scan2", "scan3").foreach(run.send(_, "x", 11))
    run.settle()
    run.advance(5000).settle()
    (2 to 6).foreach(i => run.send("scan3", "x", i * 20.0).settle())
    val waiting = run.operator("join-2.right")
    assert(waiting.evictionHeldBackBy === Some("scan1"))
    assert(waiting.watermarkMs === Some(120000L))
    assert(waiting.evictionMs === Some(11000L))
    assert(run.operator("join-2.left").evictionMs === Some(110000L))
  }

  test("a union in a union, and one union under two operators") {
    val inner = CoalescedTime(Seq(NodeTime("a"), NodeTime("b")))
    val outer = CoalescedTime(Seq(inner, NodeTime("c")))
    val query = ClockScenarios.Query(
      QuerySpec(
        Seq(node("a"), node("b"), node("c")),
        Seq(OperatorSpec("one", 0, outer, Some(inner)), OperatorSpec("two", 0, inner, None))
      )
    )
    val run = query.start()
    run.send("a", "x", 45).send("b", "x", 11).send("c", "x", 31).settle()
    assert(run.time("one") === Some(11.0))
    run.advance(4000).send("c", "x", 61).settle()
    run.advance(1000).settle()
    // The inner one is idle, and its highest value is still what it forwards.
    assert(run.time("one") === Some(61.0))
    assert(run.time("two") === Some(45.0))
    assert(run.state.unions === Map("one" -> 61000L, "one#2" -> 45000L, "two" -> 45000L))
    run.restart()
    assert((run.time("one"), run.time("two")) === ((Some(61.0), Some(45.0))))
    run.send("b", "x", 21).settle()
    assert(run.operator("one").evictionMs === Some(45000L))
  }
}
