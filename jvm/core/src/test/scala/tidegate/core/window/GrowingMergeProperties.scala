package tidegate.core.window

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class GrowingMergeProperties
    extends AnyFunSuite
    with ScalaCheckPropertyChecks
    with WindowMergeTest {

  private case class Case(
      grid: FrameGrid,
      frames: IndexedSeq[Long],
      runs: Int,
      runLength: Int,
      after: Long,
      windows: Int
  )

  private val cases: Gen[Case] = for {
    slide <- Gen.choose(1L, 7L)
    ratio <- Gen.choose(1L, 40L)
    offset <- Gen.choose(-300L, 300L)
    density <- Gen.choose(1, 10)
    first <- Gen.choose(-100L, 100L)
    present <- Gen.listOfN(150, Gen.choose(1, 10))
    hole <- Gen.choose(0L, 500L)
    runLength <- Gen.choose(1, 12)
    runs <- Gen.choose(0, 10)
    after <- Gen.choose(-150L, 250L)
    windows <- Gen.choose(0, 900)
  } yield {
    val grid = FrameGrid(slide * ratio, slide, offset, grows = true)
    val frames = present.zipWithIndex.collect {
      case (p, i) if p <= density =>
        grid.frameOf(offset + (first + i + (if (i > 75) hole else 0)) * slide)
    }.toIndexedSeq
    // The first runs that lie within windows, as frames are kept in runs.
    val possible = frames.grouped(runLength).takeWhile { run =>
      run.size == runLength && grid.mayHold(run.head, run.last)
    }
    Case(
      grid,
      frames,
      math.min(runs, possible.size),
      runLength,
      grid.lastEnd(offset + after * slide),
      windows
    )
  }

  private def grow(c: Case, texts: Texts): Seq[(Long, String)] = {
    val windows = WindowMerge(c.grid, texts)
    windows.start(
      new Frames(texts, c.frames.map(f => f -> s"<$f>"), c.runs, c.runLength),
      c.after,
      c.after + c.windows * c.grid.slide,
      runs = 0
    )
    Iterator
      .continually(windows.next())
      .takeWhile(identity)
      .map { _ =>
        windows.frame + c.grid.slide -> texts.merged(windows.earlier, windows.later)
      }
      .toList
  }

  test("windows are those of a search through all frames, in order, whatever the runs") {
    forAll(cases, minSuccessful(500)) { c =>
      val expected = for {
        i <- 1 to c.windows
        end = c.after + i * c.grid.slide
        begin = end - 1 - Math.floorMod(end - 1 - c.grid.offset, c.grid.size)
        inside = c.frames.filter(f => f >= begin && f < end)
        if inside.nonEmpty
      } yield end -> inside.map(f => s"<$f>").mkString
      assert(grow(c, new Texts) == expected)
    }
  }

  test("a frame is merged once, however many windows have it") {
    for (ratio <- Seq(10, 100, 1000)) {
      val texts = new Texts
      val frames = (0L until 3000L).toIndexedSeq
      val grid = FrameGrid(ratio.toLong, 1, 0, grows = true)
      assert(grow(Case(grid, frames, 0, 1, 0L, 3000), texts).size == 3000)
      assert(texts.merges <= 3000)
    }
  }

  test("an empty stretch is jumped over") {
    val texts = new Texts
    val year = 365L * 24 * 3600 * 1000
    val windows = WindowMerge(FrameGrid(60, 1, 0, grows = true), texts)
    windows.start(new Frames(texts, IndexedSeq(58L -> "a", year -> "b"), 0, 1), 0L, 2 * year, 0)
    assert(lastFrames(windows) == Seq(58L, 59L) ++ (year until year + 60))
  }

  private def lastFrames(windows: WindowMerge): Seq[Long] =
    Iterator.continually(windows.next()).takeWhile(identity).map(_ => windows.frame).toList

  test("frames at both ends of time: their windows come out, and no others") {
    for (slide <- Seq(1L, 1000L, 86400000000L); offset <- Seq(0L, 7L, -7L)) {
      val grid = FrameGrid(slide * 3, slide, offset, grows = true)
      val last = grid.lastFrame
      val texts = new Texts
      val windows = WindowMerge(grid, texts)
      val first = grid.beginOf(0)
      val frames = IndexedSeq(first + slide, last).map(_ -> "f")
      windows.start(new Frames(texts, frames, 0, 1), first, FrameGrid.EndOfTime, 0)
      assert(lastFrames(windows) == Seq(first + slide, first + 2 * slide, last))
      // Before the end of time, a window that ends beyond it is not due; after it, none is.
      windows.start(new Frames(texts, frames, 0, 1), first + grid.size, last, 0)
      assert(lastFrames(windows) == Nil)
      windows.start(
        new Frames(texts, frames, 0, 1),
        FrameGrid.EndOfTime,
        FrameGrid.EndOfTime,
        0
      )
      assert(lastFrames(windows) == Nil)
      windows.start(new Frames(texts, IndexedSeq.empty, 0, 1), first, FrameGrid.EndOfTime, 0)
      assert(lastFrames(windows) == Nil)
    }
  }

  test("a frame is open until the largest of its windows has ended") {
    forAll(cases, Gen.choose(-1000L, 1000L)) { (c, time) =>
      val open = c.grid.firstOpenFrame(time)
      assert(c.grid.lastEndOver(open) > time)
      assert(c.grid.lastEndOver(open - c.grid.slide) <= time)
      assert(c.grid.lastEndBegunBefore(time) == c.grid.lastEndOver(c.grid.frameOf(time - 1)))
    }
  }
}
