package tidegate.core.sight

import org.scalatest.funsuite.AnyFunSuite

class QueryMemorySuite extends AnyFunSuite {

  private def batch(id: Long): BatchSight =
    BatchSight(id, id * 1000, id * 1000, 0, Map.empty, Map.empty)

  private def event(n: Long): SightEvent = SightEvent(n, SightEvent.New, "orders", Nil, 1, "")

  test("the last batches and events are remembered, the oldest first; older ones are forgotten") {
    val memory = new QueryMemory(maxBatches = 3, maxEvents = 2)
    assert(memory.snapshot === MemorySnapshot.empty)
    (1L to 5L).foreach { n =>
      memory.add(batch(n))
      memory.add(event(n))
    }
    assert(memory.snapshot === MemorySnapshot(Seq(3L, 4L, 5L).map(batch), Seq(4L, 5L).map(event)))
    assert(memory.lastBatches(2) === Seq(4L, 5L).map(batch))
    assert(memory.lastBatches(9) === Seq(3L, 4L, 5L).map(batch))
    assert(memory.lastBatches(0) === Nil)
  }

  test("a snapshot does not change when the query goes on") {
    val memory = new QueryMemory(maxBatches = 2, maxEvents = 2)
    memory.add(batch(1))
    val before = memory.snapshot
    (2L to 9L).foreach(n => memory.add(batch(n)))
    assert(before.batches === Seq(batch(1)))
  }

  test("a memory of nothing remembers nothing") {
    val memory = new QueryMemory(maxBatches = 0, maxEvents = 0)
    memory.add(batch(1))
    memory.add(event(1))
    assert(memory.snapshot === MemorySnapshot.empty)
  }
}
