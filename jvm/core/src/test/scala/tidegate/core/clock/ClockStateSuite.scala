package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite

class ClockStateSuite extends AnyFunSuite {

  private def state(operatorMs: Long, substreams: NodeState = NodeState.empty) =
    ClockState.empty.copy(
      substreams = Map("orders" -> substreams),
      operators =
        Map("aggregate" -> OperatorMark(5, Some(operatorMs), Some(operatorMs), idle = false))
    )

  private val seen = NodeState(Seq(SavedSubstream("a", Vector(1L))))

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

  test("what cannot be read again counts") {
    val exact = Set("orders")
    assert(!same(state(1L).copy(exact = exact), state(1L, seen).copy(exact = exact)))
    assert(same(state(1L).copy(exact = Set("new")), state(1L, seen).copy(exact = Set("new"))))
  }

  test("a passive state starts no batch") {
    assert(same(state(1L).copy(isPassive = true), state(2L)))
  }
}
