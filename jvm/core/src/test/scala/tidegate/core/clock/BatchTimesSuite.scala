package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite

class BatchTimesSuite extends AnyFunSuite {

  private def state(ms: Option[Long], idle: Boolean = false) = ClockState.empty.copy(
    nodes = Map("orders" -> NodeMark(3, ms, idle)),
    operators = Map("aggregate" -> OperatorMark(3, ms, ms.map(_ - 5L), idle))
  )

  test("late rows go by the start of a batch, eviction by its end") {
    val batch = BatchTimes(state(Some(10L)), state(Some(20L), idle = true))
    assert(batch.operator("aggregate") === OperatorBatch(10L, 15L, 5L, idle = true))
    assert(batch.node("orders") === Some(NodeMark(3, Some(20L), idle = true)))
    assert(batch.node("other") === None)
  }

  test("late rows go by a batch that was left out since the start, what has left does not") {
    val left = state(Some(15L))
    val batch = BatchTimes(state(Some(10L)), state(Some(20L)).copy(skipped = Some(left.times)))
    val times = OperatorBatch(15L, 15L, 5L, idle = false, leftOutMs = Some(10L))
    assert(batch.operator("aggregate") === times)
    assert(times.closedMs === 10L)
    assert(batch.late === left)
    val renamed = left.times.copy(operators = Map("former" -> left.operators("aggregate")))
    val late = BatchTimes(state(Some(10L)), state(Some(20L)).copy(skipped = Some(renamed)))
    assert(late.operator("aggregate").lateMs === 10L)
  }

  test("no watermark is below the lowest of the operator") {
    val batch = BatchTimes(ClockState.empty, state(Some(-20L)))
    val none = OperatorBatch.NothingLate
    assert(batch.operator("aggregate") === OperatorBatch(none, -25L, none, idle = false))
    assert(batch.operator("other") === OperatorBatch.none)
    assert(batch.operator("aggregate", 0L) === OperatorBatch(0L, 0L, 0L, idle = false))
    assert(batch.operator("aggregate", -22L) === OperatorBatch(-22L, -22L, -22L, idle = false))
    assert(batch.operator("aggregate", -99L) === OperatorBatch(-99L, -25L, -99L, idle = false))
  }

  test("a watermark that would go back is told, with both marks") {
    val (low, high) = (state(Some(1999L)), state(Some(2000L)))
    assert(
      BatchTimes(high, low).wentBack === Some(("orders", high.nodes("orders"), low.nodes("orders")))
    )
    assert(BatchTimes(high, state(None)).wentBack.map(_._1) === Some("orders"))
    assert(BatchTimes(high, ClockState.empty).wentBack === None, "the node has left the plan")
    Seq(low -> high, high -> high, state(None) -> high, ClockState.empty -> high).foreach {
      case (start, end) => assert(BatchTimes(start, end).wentBack === None)
    }
  }
}
