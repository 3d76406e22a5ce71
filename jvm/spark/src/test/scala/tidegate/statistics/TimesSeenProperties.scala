package tidegate.statistics

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite
import tidegate.SparkClasses.EventTimeStats

/** The times that a batch saw, against exact sums, and against Spark's own statistics. */
class TimesSeenProperties extends AnyFunSuite {

  private def of(times: Seq[Long]): TimesSeen = {
    val seen = new TimesSeen
    times.foreach(seen.add)
    seen
  }

  private def merged(parts: Seq[TimesSeen]): TimesSeen = {
    val all = new TimesSeen
    parts.foreach(all.merge)
    all
  }

  private def floorMs(micros: Long) = Math.floorDiv(micros, 1000L)

  test("property: the same from one task and from many, and as Spark's") {
    (1 to 3000).foreach { seed =>
      val random = new Random(seed)
      val around = random.nextLong(4000000000000000L) - 2000000000000000L
      val times = Seq.fill(1 + random.nextInt(20))(around + random.nextLong(10000000000L))
      val ofSpark = EventTimeStats.zero
      times.foreach(t => ofSpark.add(floorMs(t)))
      val exact = times.map(t => BigDecimal(floorMs(t))).sum / times.size
      val parts = times.groupBy(_ => random.nextInt(4)).values.map(of).toSeq :+ new TimesSeen
      Seq(of(times), merged(random.shuffle(parts))).foreach { seen =>
        withClue(s"seed $seed: ") {
          assert(seen.minMs === ofSpark.min)
          assert(seen.maxMs === ofSpark.max)
          assert((BigDecimal(seen.avgMs) - exact).abs <= 1)
          assert(math.abs(seen.avgMs - ofSpark.avg.toLong) <= 1)
        }
      }
    }
  }

  test("many times of today have an exact mean") {
    val now = 1767225600000000L
    val seen = new TimesSeen
    (0L until 5000000L).foreach(i => seen.add(now + i * 1000))
    assert(seen.avgMs === now / 1000 + 2499999L)
  }

  test("the first and the last time of all") {
    val seen = of(Seq(Long.MinValue, Long.MaxValue))
    assert(seen.minMs === floorMs(Long.MinValue))
    assert(seen.maxMs === floorMs(Long.MaxValue))
    assert(math.abs(seen.avgMs) <= 1)
  }

  test("nothing seen") {
    assert(new TimesSeen().isEmpty)
    assert(merged(Seq(new TimesSeen, new TimesSeen)).isEmpty)
    assert(!of(Seq(0L)).isEmpty)
  }
}
