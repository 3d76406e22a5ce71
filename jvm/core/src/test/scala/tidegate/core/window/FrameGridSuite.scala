package tidegate.core.window

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks
import tidegate.core.EndOfTime

/** The arithmetic of windows at the ends of time, where a sum or a difference would overflow. */
class FrameGridSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private val edges = Seq(Long.MinValue, -1L, 0L, EndOfTime.Micros, Long.MaxValue)

  private val times: Gen[Long] = for {
    edge <- Gen.oneOf(edges)
    by <- Gen.choose(-100000L, 100000L)
  } yield edge + (if (edge > 0) -math.abs(by) else if (edge < -1) math.abs(by) else by)

  private val grids: Gen[FrameGrid] = for {
    slide <- Gen.oneOf(Gen.choose(1L, 5000L), Gen.choose(1L, Long.MaxValue / 8))
    ratio <- Gen.choose(1L, 7L)
    offset <- Gen.oneOf(Gen.choose(-10000L, 10000L), Gen.choose(Long.MinValue, Long.MaxValue))
  } yield FrameGrid(slide * ratio, slide, offset)

  test("frames, and the windows over them, are those of whole numbers, as far as a Long goes") {
    forAll(times, grids, minSuccessful(1000)) { (time, grid) =>
      val (t, size, slide) = (BigInt(time), BigInt(grid.size), BigInt(grid.slide))
      val frame = t - (t - grid.offset).mod(slide)
      def within(n: BigInt) = n.max(Long.MinValue).min(Long.MaxValue).toLong
      assert(grid.frameOf(time) == within(frame))
      if (frame.isValidLong) {
        assert(grid.firstStartOver(frame.toLong) == within(frame - size + slide))
        assert(grid.lastEndOver(frame.toLong) == within(frame + size))
        assert(grid.firstEndOver(frame.toLong) == within(frame + slide))
        assert(grid.lastFrameOf(frame.toLong) == within(frame + size - slide).min(grid.lastFrame))
      }
      assert(grid.lastEnd(time) == (if (time == Long.MaxValue) time else within(frame)))
    }
  }

  test("at the end of time no frame is open, however long its windows") {
    forAll(grids) { grid =>
      assert(grid.firstOpenFrame(FrameGrid.EndOfTime) == FrameGrid.EndOfTime)
      assert(grid.startOf(FrameGrid.EndOfTime) == grid.lastFrame)
      assert(grid.lastFrame < FrameGrid.EndOfTime)
      assert(grid.lastEndOver(grid.lastFrame) <= FrameGrid.EndOfTime)
    }
  }

  test("the watermark of windows at the end of time is the end of time") {
    val grid = WindowGrid(slideMs = 7000, offsetMs = 3000, sizeMs = 14000)
    assert(grid.lastEnd(EndOfTime.Ms) == EndOfTime.Ms)
    assert(grid.lastEnd(20000) == 17000)
    assert(grid.lastEnd(-1) == -4000)
  }

  test("frames that end where windows end") {
    for {
      slide <- Seq(1L, 4L, 10L)
      size <- Seq(10L, 20L, 23L)
      offset <- Seq(-7L, 0L, 3L, 25L)
      grid = WindowGrid(slide, offset, size)
      time <- -50L to 50L
    } {
      assert(grid.ofEnds.isPlain)
      assert(grid.ofEnds.lastEnd(time) == grid.lastEnd(time))
    }
  }

  test("a watermark in microseconds, and a time that is moved, stop at the end of time") {
    assert(EndOfTime.micros(EndOfTime.Ms - 1) == EndOfTime.Micros - 1000)
    assert(EndOfTime.micros(EndOfTime.Ms) == Long.MaxValue)
    assert(EndOfTime.micros(Long.MaxValue) == Long.MaxValue)
    assert(EndOfTime.micros(Long.MinValue) == Long.MinValue)
    assert(EndOfTime.plus(5, 3) == 8)
    assert(EndOfTime.plus(EndOfTime.Micros, 1000) == EndOfTime.Micros)
    assert(EndOfTime.plus(Long.MaxValue, 1000) == Long.MaxValue)
    assert(EndOfTime.plus(Long.MaxValue, -1) == Long.MaxValue - 1)
    assert(EndOfTime.plus(Long.MinValue, -1) == Long.MinValue)
  }

  test("the numbers of windows, which states in checkpoints have") {
    assert(FrameGrid(10, 10, 0).numberOf(120) == -27285610)
    assert(FrameGrid(10, 10, 13).numberOf(123) == -289822679)
    assert(FrameGrid(10, 10, 3).numberOf(123) == -289822679)
    val hour = 3600000000L
    assert(FrameGrid(hour, hour, 0).numberOf(1769904000000000L) == -798133346)
    assert(FrameGrid(1, 1, 0).numberOf(Long.MaxValue) == -27087775)
  }

  test("the numbers of windows are below -1, and differ for other windows") {
    forAll(times, grids, minSuccessful(1000)) { (time, grid) =>
      val number = grid.numberOf(time)
      assert(number < -1)
      val others = Seq(
        grid.numberOf(time + grid.slide),
        grid.copy(offset = Math.floorMod(grid.offset, grid.slide) + grid.slide - 1).numberOf(time),
        FrameGrid(1, 1, 0).numberOf(time)
      )
      // With a slide of 1, all offsets are the same.
      assert(others.count(_ == number) == (if (grid.slide == 1) 2 else 0))
    }
  }
}
