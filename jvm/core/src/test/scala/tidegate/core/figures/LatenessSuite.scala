package tidegate.core.figures

import org.scalatest.funsuite.AnyFunSuite

class LatenessSuite extends AnyFunSuite {

  private def counted(ms: Long*): Lateness = {
    val counter = new LatenessCounter
    ms.foreach(counter.add)
    counter.value
  }

  test("half of the rows and the latest; the half is rounded up to a power of two") {
    assert(counted(5, 6, 7, 900).figures === LateRowFigures(4, 7, 900))
    assert(counted(1000).figures === LateRowFigures(1, 1000, 1000))
    assert(counted(0, -3).figures === LateRowFigures(2, 0, 0))
    assert(counted(Long.MaxValue).figures.maxMs === Long.MaxValue)
  }

  test("a sum is what all rows together would be") {
    assert(counted(1, 2, 3) + counted(400, 5) === counted(1, 2, 3, 400, 5))
    assert(counted() + counted(4) === counted(4))
    assert(counted() === Lateness.None)
  }

  test("the first ten substreams have names, the others are counted together") {
    val counters = new LatenessCounters
    (0 until 30).foreach(i => counters.of(s"s$i").add(i.toLong))
    val one = counters.value
    assert(one.substreams.keySet === (0 until 10).map(i => s"s$i").toSet)
    val other = LatenessBySubstream(Map("s3" -> counted(8), "new" -> counted(9)), Lateness.None)
    val Some(found) = (one + other).figures: @unchecked
    assert(found.all === LateRowFigures(32, 15, 29))
    assert(found.substreams.size === 10 && found.substreams("s3").rows === 2)
    assert(LatenessBySubstream.None.figures === None)
  }
}
