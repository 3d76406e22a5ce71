package tidegate.own.order

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.rows.RowBytes

/** Some rows of a batch in memory, to be sorted together. */
private[order] final class RowRound(sizes: PageSizes) {
  private val rows = new RowBytes
  private var micros = new Array[Long](64)

  /** Whether there is room for one more row. */
  def fits(row: UnsafeRow): Boolean = rows.size == 0 ||
    rows.size < sizes.roundRows &&
    rows.byteSize.toLong + row.getSizeInBytes <= sizes.roundBytes

  def add(time: Long, row: UnsafeRow): Unit = {
    if (rows.size == micros.length) micros = Arrays.copyOf(micros, 2 * rows.size)
    micros(rows.size) = time
    rows.add(row)
  }

  /**
   * Hands out all rows with their times, by time, rows of one time as they came; and forgets them.
   */
  def drain(row: UnsafeRow)(take: Long => Unit): Unit = {
    val sorted = StableSort(micros, rows.size)
    var i = 0
    while (i < sorted.length) {
      rows.point(sorted(i), row)
      take(micros(sorted(i)))
      i += 1
    }
    rows.clear()
  }
}

/** Sorts numbers of rows by the times of the rows, without an object for each. */
private[order] object StableSort {

  /** Shorter stretches are sorted by insertion. */
  private val Stretch = 16

  /** The numbers below `n`, by their times; those of one time ascend. */
  def apply(times: Array[Long], n: Int): Array[Int] = {
    var (from, to) = (Array.range(0, n), new Array[Int](n))
    var start = 0
    while (start < n) {
      insert(times, from, start, math.min(n, start + Stretch))
      start += Stretch
    }
    var width = Stretch
    while (width < n) {
      start = 0
      while (start < n) {
        val middle = math.min(n, start + width)
        val end = math.min(n.toLong, middle.toLong + width).toInt
        merge(times, from, to, start, middle, end)
        start = end
      }
      val sorted = to
      to = from
      from = sorted
      width = math.min(n.toLong, 2L * width).toInt
    }
    from
  }

  private def insert(times: Array[Long], rows: Array[Int], start: Int, end: Int): Unit = {
    var i = start + 1
    while (i < end) {
      val row = rows(i)
      var j = i
      while (j > start && times(rows(j - 1)) > times(row)) {
        rows(j) = rows(j - 1)
        j -= 1
      }
      rows(j) = row
      i += 1
    }
  }

  private def merge(
      times: Array[Long],
      from: Array[Int],
      to: Array[Int],
      start: Int,
      middle: Int,
      end: Int
  ): Unit = {
    var (left, right, at) = (start, middle, start)
    while (at < end) {
      val isLeft = right >= end || left < middle && times(from(left)) <= times(from(right))
      if (isLeft) {
        to(at) = from(left)
        left += 1
      } else {
        to(at) = from(right)
        right += 1
      }
      at += 1
    }
  }
}
