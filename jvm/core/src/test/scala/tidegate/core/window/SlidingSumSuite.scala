package tidegate.core.window

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Sums of floating-point numbers do not drift, however long windows slide. */
class SlidingSumSuite extends AnyFunSuite {

  private class DoubleSlots extends Slots {
    private var values = new Array[Double](64)
    private var used = 0

    def apply(slot: Int): Double = values(slot)
    def update(slot: Int, value: Double): Unit = values(slot) = value
    override def merge(earlier: Int, later: Int, into: Int): Unit =
      values(into) = values(earlier) + values(later)
    override def copy(from: Int, into: Int): Unit = values(into) = values(from)
    override def allocate(): Int = {
      if (used == values.length) values = java.util.Arrays.copyOf(values, used * 2)
      used += 1
      used - 1
    }
    override def release(slot: Int): Unit = ()
  }

  /** One frame for every number, from 0 on. */
  private class Frames(slots: DoubleSlots, numbers: Array[Double]) extends FrameCursor {
    private val place = slots.allocate()
    private var i = 0

    override def seek(frame: Long): Unit = i = math.max(0L, frame).toInt
    override def frame: Long = if (i < numbers.length) i.toLong else FrameCursor.End
    override def slot: Int = {
      slots(place) = numbers(i)
      place
    }
    override def advance(): Unit = i += 1
    override def runEnd: Long = frame
    override def runSlot: Int = slot
    override def advanceRun(): Unit = advance()
  }

  private val slides = 1000000

  /** The largest relative error over a million slides. */
  private def error(numbers: Array[Double], size: Int): Double = {
    val slots = new DoubleSlots
    val windows = new SlidingMerge(FrameGrid(size.toLong, 1, 0), slots)
    windows.start(new Frames(slots, numbers), size - 1L, numbers.length.toLong, 0)
    var (count, worst) = (0, 0.0)
    while (windows.next()) {
      count += 1
      var sum = 0.0
      var i = windows.frame.toInt
      val end = i + size
      while (i < end) {
        sum += numbers(i)
        i += 1
      }
      val later = if (windows.later == Slots.NoSlot) 0.0 else slots(windows.later)
      val slid = slots(windows.earlier) + later
      worst = math.max(worst, math.abs(slid - sum) / math.abs(sum))
    }
    assert(count == slides)
    worst
  }

  private def numbers(size: Int)(number: (Random, Int) => Double): Array[Double] = {
    val random = new Random(7)
    Array.tabulate(slides + size - 1)(number(random, _))
  }

  test("a million slides over numbers of one magnitude") {
    Seq(10, 200).foreach { size =>
      assert(error(numbers(size)((random, _) => 0.1 + random.nextDouble()), size) < 1e-12)
    }
  }

  test("huge numbers that slide out leave nothing behind in a million slides") {
    val size = 100
    val spikes = numbers(size)((random, i) => random.nextDouble() + (if (i % 997 == 0) 1e17 else 0))
    assert(error(spikes, size) < 1e-9)
    // What taking numbers out of a sum makes of them.
    var sum = spikes.take(size).sum
    (size until spikes.length).foreach(i => sum += spikes(i) - spikes(i - size))
    val last = spikes.takeRight(size).sum
    assert(math.abs(sum - last) / last > 1e-9)
  }

  test("numbers of both signs and all magnitudes stay exact where they do not round") {
    val size = 64
    val wholes = numbers(size)((random, _) => (random.nextInt(2000001) - 1000000).toDouble)
    wholes.indices.filter(_ % 64 == 0).foreach(wholes(_) = 1e12)
    assert(error(wholes, size) == 0.0)
  }
}
