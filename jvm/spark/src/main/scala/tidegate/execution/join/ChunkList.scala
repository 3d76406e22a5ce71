package tidegate.execution.join

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData

/**
 * The chunks of a key, in the order in which they were sealed: the number of each, and from which
 * to which time it has rows of each side. A side without rows goes from `Long.MaxValue` to
 * `Long.MinValue`.
 */
private[join] final class ChunkList {
  private var numbers = new Array[Int](4)
  private var times = new Array[Long](16)
  private var count = 0

  def size: Int = count

  def clear(): Unit = count = 0

  def number(i: Int): Int = numbers(i)

  def from(i: Int, isLeft: Boolean): Long = times(4 * i + (if (isLeft) 0 else 2))

  def to(i: Int, isLeft: Boolean): Long = times(4 * i + (if (isLeft) 1 else 3))

  def has(i: Int, isLeft: Boolean): Boolean = from(i, isLeft) <= to(i, isLeft)

  /** The number of the next chunk. */
  def nextNumber: Int = if (count == 0) 0 else numbers(count - 1) + 1

  def add(number: Int, left: SideRows, right: SideRows): Unit = {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count)
      times = Arrays.copyOf(times, 8 * count)
    }
    numbers(count) = number
    count += 1
    set(count - 1, left, right)
  }

  /** Takes the times of a chunk from the rows that it has now. */
  def set(i: Int, left: SideRows, right: SideRows): Unit = {
    times(4 * i) = left.lowest(onlyUnmatched = false)
    times(4 * i + 1) = left.highest
    times(4 * i + 2) = right.lowest(onlyUnmatched = false)
    times(4 * i + 3) = right.highest
  }

  /** Forgets the chunks for which `leaves` holds. */
  def removeIf(leaves: Int => Boolean): Unit = {
    var kept = 0
    (0 until count).foreach { i =>
      if (!leaves(i)) {
        numbers(kept) = numbers(i)
        System.arraycopy(times, 4 * i, times, 4 * kept, 4)
        kept += 1
      }
    }
    count = kept
  }

  def read(array: UnsafeArrayData): Unit = {
    count = array.numElements
    if (count > numbers.length) {
      numbers = new Array[Int](count)
      times = new Array[Long](4 * count)
    }
    (0 until count).foreach { i =>
      val chunk = array.getStruct(i, JoinStateSchema.ChunkFields)
      numbers(i) = chunk.getInt(0)
      (0 until 4).foreach { t =>
        times(4 * i + t) =
          if (!chunk.isNullAt(1 + t)) chunk.getLong(1 + t)
          else if (t % 2 == 0) Long.MaxValue
          else Long.MinValue
      }
    }
  }
}
