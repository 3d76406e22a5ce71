package tidegate.core.window

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class MissedWindowsSuite extends AnyFunSuite {

  /** All windows with a time, in ms, found by looking at each. */
  private def windows(grid: WindowGrid, time: Long): Seq[(Long, Long)] = {
    import grid._
    val firstStart = Math.floorMod(offsetMs, slideMs) - 100 * slideMs
    val all =
      if (grows)
        for (k <- -30L to 30L; i <- 1L to sizeMs / slideMs)
          yield (offsetMs + k * sizeMs, offsetMs + k * sizeMs + i * slideMs)
      else (0L to 200L).map(k => (firstStart + k * slideMs, firstStart + k * slideMs + sizeMs))
    all.filter { case (start, end) => start <= time && time < end }.sorted
  }

  test("windows of a time that have ended at the watermark, as of looking at each window") {
    val random = new Random(17)
    for (_ <- 1 to 2000) {
      val grows = random.nextBoolean()
      val slide = 1L + random.nextInt(5)
      val size = if (grows) slide * (1 + random.nextInt(5)) else slide + random.nextInt(12)
      val grid = WindowGrid(slide, random.nextInt(9).toLong - 4, size, grows)
      val (time, watermark) = (random.nextInt(40).toLong - 20, random.nextInt(60).toLong - 30)
      val expected = windows(grid, time).filter(_._2 <= watermark)
      val missed = MissedWindows(grid)
      val found = missed.all(time * 1000, watermark * 1000)
      assert(
        found === expected.map { case (start, end) => start * 1000 -> end * 1000 },
        s"$grid, time $time, watermark $watermark"
      )
      assert(missed.number(time * 1000, watermark * 1000) === expected.size)
    }
  }

  test("at the end of time, all windows of a row are missed") {
    assert(MissedWindows(WindowGrid(1, 0, 4)).number(0, Long.MaxValue) === 4)
  }
}
