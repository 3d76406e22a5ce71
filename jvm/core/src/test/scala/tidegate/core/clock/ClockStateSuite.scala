package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.EndOfTime

class ClockStateSuite extends AnyFunSuite {

  private def state(operatorMs: Long, substreams: NodeState = NodeState.empty) =
    ClockState.empty.copy(
      substreams = Map("orders" -> substreams),
      operators =
        Map("aggregate" -> OperatorMark(5, Some(operatorMs), Some(operatorMs), idle = false))
    )

  private val seen = NodeState(Seq(SavedSubstream("a", Vector(1L), 0L)))

  private def same(a: ClockState, b: ClockState): Boolean = {
    assert(a.givesSameAs(b) === b.givesSameAs(a))
    a.givesSameAs(b)
  }

  test("states give the same if nothing in them can change a result") {
    assert(same(state(1L), state(1L, seen)))
    assert(
      same(state(1L), state(1L).copy(nodes = Map("orders" -> NodeMark(0, Some(9L), idle = true))))
    )
    assert(!same(state(1L), state(2L)))
    assert(!same(state(1L), state(1L).copy(operators = Map.empty)))
    assert(!same(state(1L), state(1L).copy(looks = 1L)))
  }

  test("an operator that turns idle gives the same, one with other frames does not") {
    def changed(change: OperatorMark => OperatorMark) =
      state(1L).copy(operators = state(1L).operators.view.mapValues(change).toMap)
    assert(same(state(1L), changed(_.copy(idle = true))))
    assert(!same(state(1L), changed(_.copy(evictionMs = None))))
    assert(!same(state(1L), changed(_.copy(watermarkMs = None))))
  }

  private def due(operatorMs: Long, nextMs: Long) =
    state(operatorMs).copy(nextDueMs = Map("aggregate" -> nextMs))

  test("an operator that has nothing to do yet gives the same at a later time") {
    assert(same(state(1L), due(9L, 10L)))
    assert(!same(state(1L), due(10L, 10L)))
    assert(same(state(1L), due(9L, Long.MaxValue)), "nothing is there")
    // The later state decides: the earlier one is of a batch before.
    assert(!same(due(1L, 20L), due(9L, 5L)))
    assert(same(due(1L, 2L), due(9L, 10L)))
    assert(!same(due(1L, 20L), state(9L)), "not known")
    assert(!same(state(1L), due(9L, 10L).copy(looks = 1L)))
    assert(!same(state(1L), due(9L, 10L).copy(operators = Map.empty)))
  }

  test("at the same eviction watermark, the later one for late rows decides") {
    def late(ms: Long, next: Long) = due(4L, next).copy(operators =
      Map("aggregate" -> OperatorMark(5, Some(ms), Some(4L), idle = false))
    )
    assert(same(late(1L, 3L), late(2L, 5L)))
    assert(!same(late(1L, 5L), late(2L, 3L)))
  }

  test("the end of time counts, with nothing to do too; so do other windows") {
    def at(ms: Long, next: Long) =
      due(ms, next).copy(nodes = Map("orders" -> NodeMark(0, Some(ms), idle = false)))
    assert(same(at(1L, 0L), at(EndOfTime.Ms - 1, Long.MaxValue)))
    assert(!same(at(1L, 0L), at(EndOfTime.Ms, Long.MaxValue)))
    val other = due(9L, 10L).operators.transform((_, mark) => mark.copy(gapMicros = Some(1L)))
    assert(!same(state(1L), due(9L, 10L).copy(operators = other)))
  }

  test("what cannot be read again counts") {
    val exact = Set("orders")
    assert(!same(state(1L).copy(exact = exact), state(1L, seen).copy(exact = exact)))
    assert(same(state(1L).copy(exact = Set("new")), state(1L, seen).copy(exact = Set("new"))))
  }

  test("a passive state starts no batch") {
    assert(same(state(1L).copy(isPassive = true), state(2L)))
  }

  private def named(marks: String*)(unions: String*)(places: (String, OperatorPlace)*) =
    ClockState.empty.copy(
      operators = marks.map(_ -> OperatorMark(0, Some(7L), None, idle = false)).toMap,
      unions = unions.map(_ -> 7L).toMap,
      places = places.toMap
    )

  private def place(default: String, state: Long) = OperatorPlace(default, state)

  test("an operator with another name keeps its marks and unions, and those of its sides") {
    val before = named("join.left", "join.right", "join-2.left")("join.left", "join.left#2")()
    val now = before.renamed(Map("join" -> "pairs"))
    assert(now.operators.keySet === Set("pairs.left", "pairs.right", "join-2.left"))
    assert(now.unions.keySet === Set("pairs.left", "pairs.left#2"))
    assert(before.renamed(Map.empty) eq before)
    val skipped =
      before.copy(skipped = Some(before.times)).renamed(Map("join" -> "pairs")).skipped.get
    assert(skipped.operators.keySet === now.operators.keySet)
    assert(skipped.unions === now.unions)
    val function = named()("function(orders.eu, join.us)")()
    assert(function.renamed(Map("join" -> "pairs", "orders" -> "o")) === function)
  }

  test("names that are exchanged do not meet") {
    val before = named("a", "b")("a")("a" -> place("aggregate", 0), "b" -> place("aggregate-2", 1))
    val now = before.renamed(Map("a" -> "b", "b" -> "a"))
    assert(now.unions.keySet === Set("b"))
    assert(now.places("b") === place("aggregate", 0))
  }

  test("states of all runs of a checkpoint get the names of the query") {
    // First without names, then with one, then with another one at another place.
    val first = named("aggregate", "aggregate-2")()()
    val second = named("a", "aggregate-2")()(
      "a" -> place("aggregate", 0),
      "aggregate-2" -> place("aggregate-2", 1)
    )
    val third = named("b", "z")()("b" -> place("aggregate-2", 0), "z" -> place("aggregate", 1))
    val former = FormerNames(second.places, Map("a" -> "b", "aggregate-2" -> "z"))
    Seq(first, second, third).foreach { state =>
      assert(former(state).operators.keySet === Set("b", "z"))
    }
    assert(former(third) eq third)
    assert(FormerNames.none(first) eq first)
    val added = FormerNames(Map.empty, Map("aggregate" -> "a"))
    assert(added(first).operators.keySet === Set("a", "aggregate-2"))
    assert(added(second) === second)
  }
}
