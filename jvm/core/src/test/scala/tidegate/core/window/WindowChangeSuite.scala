package tidegate.core.window

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class WindowChangeSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val grids: Gen[FrameGrid] = for {
    slide <- Gen.choose(1L, 12L)
    ratio <- Gen.choose(1L, 12L)
    offset <- Gen.choose(-20L, 20L)
  } yield FrameGrid(slide * ratio, slide, offset)

  test("smaller windows on the same frames are exact") {
    assert(WindowChange(FrameGrid(60, 1, 0), FrameGrid(30, 1, 0)).purged(1000) == None)
  }

  test("larger windows miss what was purged, until their frames are all there") {
    val change = WindowChange(FrameGrid(30, 10, 0), FrameGrid(60, 10, 0))
    // At 1000 the frames before 980 have left: the window that ends at 1040 is the first whole one.
    assert(change.purged(1000) == Some(1010L -> 1030L))
  }

  test("tumbling windows of 2 into tumbling windows of 3: frames move up to the next end") {
    val change = WindowChange(FrameGrid(2, 2, 0), FrameGrid(3, 3, 0))
    assert(!change.keepsFramesWhole)
    // The frames that end at 2, 4, 6 and 8 go into those that end at 3, 6, 6 and 9.
    assert(Seq(0L, 2L, 4L, 6L).map(change.moved) == Seq(0L, 3L, 3L, 6L))
  }

  test("frames stay whole in frames that are a multiple of them, at a begin that fits") {
    val of = FrameGrid(20, 2, 1)
    assert(WindowChange(of, FrameGrid(20, 4, 3)).keepsFramesWhole)
    assert(!WindowChange(of, FrameGrid(20, 4, 2)).keepsFramesWhole)
    assert(!WindowChange(of, FrameGrid(21, 3, 1)).keepsFramesWhole)
  }

  test("where frames stay whole, each time moves to its own frame") {
    forAll(grids, grids, Gen.choose(-500L, 500L)) { (from, to, time) =>
      val change = WindowChange(from, to)
      if (change.keepsFramesWhole) assert(change.moved(from.frameOf(time)) == to.frameOf(time))
    }
  }

  test("a window is affected exactly if a time in it belonged to a frame that had left") {
    forAll(grids, grids, Gen.choose(-200L, 200L), minSuccessful(500)) { (from, to, watermark) =>
      val closed = from.lastEnd(watermark)
      val affected = for {
        i <- 1L to 60L
        end = to.lastEnd(watermark) + i * to.slide
        if (end - to.size until end).exists(t => from.lastEndOver(from.frameOf(t)) <= closed)
      } yield end
      val found = WindowChange(from, to).purged(watermark)
      assert(found == affected.headOption.map(_ -> affected.last))
    }
  }
}
