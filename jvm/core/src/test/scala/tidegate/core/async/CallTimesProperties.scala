package tidegate.core.async

import org.scalacheck.Gen
import tidegate.core.PropertySuite

class CallTimesProperties extends PropertySuite {

  private val times =
    Gen.nonEmptyListOf(Gen.oneOf(Gen.choose(0L, 200L), Gen.choose(0L, Long.MaxValue)))

  test("a percentile is at most 3.2 % below that of the sorted times, and never above") {
    forAll(times, Gen.choose(0.0, 1.0)) { (micros, share) =>
      val found = new CallTimes
      micros.foreach(found.add)
      val place = math.max(1, math.ceil(share * micros.size).toInt)
      val exact = micros.sorted.apply(place - 1)
      val rounded = found.percentile(share).get
      assert(rounded <= exact)
      assert(exact - rounded <= exact / 31)
    }
  }

  test("without a call there is no percentile; a clock that went back counts as no time") {
    val times = new CallTimes
    assert(times.percentile(0.5) === None)
    times.add(-5)
    assert(times.percentile(0.5) === Some(0))
  }
}
