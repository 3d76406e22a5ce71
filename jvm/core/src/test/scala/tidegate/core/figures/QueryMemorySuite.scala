package tidegate.core.figures

import org.scalatest.funsuite.AnyFunSuite

class QueryMemorySuite extends AnyFunSuite {

  private def batch(id: Long): BatchFigures = BatchFigures(id, id * 1000, id * 1000, 0)

  private def event(n: Long): TimeEvent = TimeEvent(n, TimeEvent.New, "orders", Nil, 1, "")

  test("the last batches and events are remembered, the oldest first; older ones are forgotten") {
    val memory = new QueryMemory(maxBatches = 3, maxEvents = 2)
    assert((memory.batches, memory.events) === ((Nil, Nil)))
    (1L to 5L).foreach { n =>
      memory.add(batch(n))
      memory.add(event(n))
    }
    assert(memory.batches === Seq(3L, 4L, 5L).map(batch))
    assert(memory.events === Seq(4L, 5L).map(event))
  }

  test("what was returned does not change when the query continues") {
    val memory = new QueryMemory(maxBatches = 2, maxEvents = 2)
    memory.add(batch(1))
    val before = memory.batches
    (2L to 9L).foreach(n => memory.add(batch(n)))
    assert(before === Seq(batch(1)))
  }

  test("a memory of nothing remembers nothing") {
    val memory = new QueryMemory(maxBatches = 0, maxEvents = 0)
    memory.add(batch(1))
    memory.add(event(1))
    assert((memory.batches, memory.events) === ((Nil, Nil)))
  }
}
