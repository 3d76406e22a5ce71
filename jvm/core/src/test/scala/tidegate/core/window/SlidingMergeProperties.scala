package tidegate.core.window

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SlidingMergeProperties
    extends AnyFunSuite
    with ScalaCheckPropertyChecks
    with WindowMergeTest {

  private case class Case(
      grid: FrameGrid,
      frames: IndexedSeq[Long],
      runs: Int,
      runLength: Int,
      after: Long,
      windows: Int,
      segment: Int
  )

  private val cases: Gen[Case] = for {
    slide <- Gen.choose(1L, 7L)
    ratio <- Gen.choose(1L, 40L)
    offset <- Gen.choose(-10L, 10L)
    density <- Gen.choose(1, 10)
    first <- Gen.choose(-100L, 100L)
    present <- Gen.listOfN(150, Gen.choose(1, 10))
    hole <- Gen.choose(0L, 500L)
    runLength <- Gen.choose(1, 12)
    runs <- Gen.choose(0, 10)
    after <- Gen.choose(-150L, 250L)
    windows <- Gen.choose(0, 900)
    segment <- Gen.choose(1, 60)
  } yield {
    val grid = FrameGrid(slide * ratio, slide, offset)
    val frames = present.zipWithIndex.collect {
      case (p, i) if p <= density =>
        grid.frameOf(offset + (first + i + (if (i > 75) hole else 0)) * slide)
    }.toIndexedSeq
    Case(
      grid,
      frames,
      math.min(runs, frames.size / runLength),
      runLength,
      grid.lastEnd(offset + after * slide),
      windows,
      segment
    )
  }

  private def slide(c: Case, texts: Texts): Seq[(Long, String)] = {
    val named = c.frames.map(f => f -> s"<$f>")
    val windows = new SlidingMerge(c.grid, texts, c.segment)
    windows.start(
      new Frames(texts, named, c.runs, c.runLength),
      c.after,
      c.after + c.windows * c.grid.slide,
      runs = 0
    )
    Iterator
      .continually(windows.next())
      .takeWhile(identity)
      .map { _ =>
        windows.frame + c.grid.size -> texts.merged(windows.earlier, windows.later)
      }
      .toList
  }

  test("windows are those of a search through all frames, in order, whatever the segments") {
    forAll(cases, minSuccessful(500)) { c =>
      val expected = for {
        i <- 1 to c.windows
        end = c.after + i * c.grid.slide
        inside = c.frames.filter(f => f >= end - c.grid.size && f < end)
        if inside.nonEmpty
      } yield end -> inside.map(f => s"<$f>").mkString
      assert(slide(c, new Texts) == expected)
    }
  }

  test("merges per window do not grow with the number of frames in a window") {
    for (ratio <- Seq(10, 100, 1000)) {
      val texts = new Texts
      val frames = (0L until 3000L).toIndexedSeq
      val c = Case(FrameGrid(ratio.toLong, 1, 0), frames, 0, 1, 1000L, 2000, Int.MaxValue)
      assert(slide(c, texts).size == 2000)
      assert(texts.merges <= 4 * 2000)
    }
  }

  test("a value is read again for every segment only as a part of a run") {
    val texts = new Texts
    val frames = (0L until 4096L).toIndexedSeq
    val c = Case(FrameGrid(4096, 1, 0), frames, 64, 64, 4096L, 20, 20)
    assert(slide(c, texts).size == 20)
    // 63 runs, the frames of the first one, and nothing behind them.
    assert(texts.merges <= 63 + 64 + 2 * 20)
  }

  test("an empty stretch is jumped over") {
    val texts = new Texts
    val year = 365L * 24 * 3600 * 1000
    val windows = new SlidingMerge(FrameGrid(60, 1, 0), texts, 1024)
    windows.start(new Frames(texts, IndexedSeq(0L -> "a", year -> "b"), 0, 1), 0L, 2 * year, 0)
    assert(starts(windows) == (-59L to 0L).toList ++ (year - 59 to year))
  }

  private def starts(windows: SlidingMerge): Seq[Long] =
    Iterator.continually(windows.next()).takeWhile(identity).map(_ => windows.frame).toList

  test("frames at both ends of time: their windows come out, and no others") {
    for (slide <- Seq(1L, 1000L, 86400000000L); offset <- Seq(0L, 7L, -7L)) {
      val grid = FrameGrid(slide * 3, slide, offset)
      val last = grid.lastFrame
      val texts = new Texts
      val windows = new SlidingMerge(grid, texts)
      val frames = IndexedSeq(0L, last - slide, last).map(f => grid.frameOf(f) -> "f")
      val none = new Frames(texts, IndexedSeq.empty, 0, 1)
      val first = grid.frameOf(0)
      windows.start(new Frames(texts, frames, 0, 1), first - slide, FrameGrid.EndOfTime, 0)
      assert(
        starts(windows) ==
          Seq(first - 2 * slide, first - slide, first) ++
          Seq(last - 3 * slide, last - 2 * slide, last - slide, last)
      )
      // Before the end of time, windows that end beyond it are not due; after it, none is.
      windows.start(new Frames(texts, frames, 0, 1), first + grid.size, last, 0)
      assert(starts(windows) == Seq(last - 3 * slide))
      windows.start(new Frames(texts, frames, 0, 1), FrameGrid.EndOfTime, FrameGrid.EndOfTime, 0)
      assert(starts(windows) == Nil)
      windows.start(none, first, FrameGrid.EndOfTime, 0)
      assert(starts(windows) == Nil)
    }
  }

  test("a size that is not a multiple of the slide is refused with both") {
    val e = intercept[IllegalArgumentException](FrameGrid(25, 10, 0))
    assert(
      e.getMessage == "requirement failed: the size of windows must be a positive multiple of " +
        "their slide; found size 25, slide 10"
    )
  }
}
