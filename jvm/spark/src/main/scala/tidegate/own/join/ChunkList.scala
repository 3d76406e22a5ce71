package tidegate.own.join

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData

/**
 * The chunks of a key, in the order in which they were sealed. Of each its number, how many rows it
 * has in the state, and for each side:
 *
 *   - from which to which time it has rows; from `Long.MaxValue` to `Long.MinValue` without rows,
 *   - its `due`: the time of the first row that is not marked as matched and has not passed;
 *     `Long.MaxValue` without such rows. Rows before it that are not marked are gone, although the
 *     state has them until the chunk is written again.
 */
private[join] final class ChunkList {
  import ChunkList._

  private var numbers = new Array[Int](4)
  private var counts = new Array[Int](4)
  private var times = new Array[Long](4 * Times)
  private var count = 0

  def size: Int = count

  def clear(): Unit = count = 0

  def number(i: Int): Int = numbers(i)

  def rows(i: Int): Int = counts(i)

  def from(i: Int, isLeft: Boolean): Long = time(i, isLeft, From)

  def to(i: Int, isLeft: Boolean): Long = time(i, isLeft, To)

  def due(i: Int, isLeft: Boolean): Long = time(i, isLeft, Due)

  /** One of the times of a side, in the order of the columns of the state. */
  def time(i: Int, isLeft: Boolean, t: Int): Long = times(at(i, isLeft) + t)

  def has(i: Int, isLeft: Boolean): Boolean = from(i, isLeft) <= to(i, isLeft)

  /** The number of the next chunk. */
  def nextNumber: Int = if (count == 0) 0 else numbers(count - 1) + 1

  def add(number: Int, rows: TwoSides): Unit = {
    if (count == numbers.length) reserve(2 * count)
    numbers(count) = number
    count += 1
    set(count - 1, rows)
  }

  /** Notes what there is to know of a chunk from the rows that it has now. */
  def set(i: Int, rows: TwoSides): Unit = {
    counts(i) = rows.size
    set(i, isLeft = true, rows.left)
    set(i, isLeft = false, rows.right)
  }

  private def set(i: Int, isLeft: Boolean, rows: SideRows): Unit = {
    times(at(i, isLeft) + From) = rows.lowest
    times(at(i, isLeft) + To) = rows.highest
    setDue(i, isLeft, rows.lowestUnmatched)
  }

  def setDue(i: Int, isLeft: Boolean, micros: Long): Unit = times(at(i, isLeft) + Due) = micros

  def removeLast(): Unit = count -= 1

  /** Forgets the chunks for which `leaves` holds. */
  def removeIf(leaves: Int => Boolean): Unit = {
    var kept = 0
    (0 until count).foreach { i =>
      if (!leaves(i)) {
        numbers(kept) = numbers(i)
        counts(kept) = counts(i)
        System.arraycopy(times, Times * i, times, Times * kept, Times)
        kept += 1
      }
    }
    count = kept
  }

  def read(array: UnsafeArrayData): Unit = {
    count = array.numElements
    if (count > numbers.length) reserve(count)
    (0 until count).foreach { i =>
      val chunk = array.getStruct(i, JoinStateSchema.ChunkFields)
      numbers(i) = chunk.getInt(JoinStateSchema.ChunkNumber)
      counts(i) = chunk.getInt(JoinStateSchema.ChunkRows)
      Sides.Both.foreach { isLeft =>
        (0 until TimesOfSide).foreach { t =>
          val column = JoinStateSchema.chunkTimes(isLeft) + t
          times(at(i, isLeft) + t) =
            if (chunk.isNullAt(column)) Missing(t) else chunk.getLong(column)
        }
      }
    }
  }

  private def reserve(chunks: Int): Unit = {
    numbers = Arrays.copyOf(numbers, chunks)
    counts = Arrays.copyOf(counts, chunks)
    times = Arrays.copyOf(times, chunks * Times)
  }
}

private[join] object ChunkList {
  private final val From = 0
  private final val To = 1
  private final val Due = 2

  /** How many times a side has. */
  final val TimesOfSide = 3
  private final val Times = 2 * TimesOfSide

  /** What stands for NULL, of each time of a side. */
  val Missing: Array[Long] = Array(Long.MaxValue, Long.MinValue, Long.MaxValue)

  private def at(i: Int, isLeft: Boolean): Int = Times * i + (if (isLeft) 0 else TimesOfSide)
}
