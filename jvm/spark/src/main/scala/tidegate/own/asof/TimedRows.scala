package tidegate.own.asof

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.rows.{RowArray, RowBytes}

/** Rows in memory with their times in µs, in a buffer that is used again for other rows. */
private[asof] final class TimedRows {
  import TimedRows.MostKept

  private var rows = new RowBytes(MostKept)
  private var micros = new Array[Long](16)
  private var spare = new RowBytes(MostKept)
  private var spareMicros = new Array[Long](16)

  /** The rows alone. */
  def bytes: RowBytes = rows

  def size: Int = rows.size

  def byteSize: Int = rows.byteSize

  def time(i: Int): Long = micros(i)

  /** Lets `row` show a row until rows are added or removed. */
  def point(i: Int, row: UnsafeRow): Unit = rows.point(i, row)

  def clear(): Unit = rows.clear()

  def add(row: UnsafeRow, timeMicros: Long): Unit = {
    note(timeMicros)
    rows.add(row)
  }

  /** Adds a row of other rows. */
  def add(other: TimedRows, i: Int): Unit = {
    note(other.micros(i))
    rows.add(other.rows, i)
  }

  /** Adds the rows of an array in the state, from a number on. */
  def addAll(array: RowArray, from: Int, timeOrdinal: Int, row: UnsafeRow): Unit = {
    var i = from
    while (i < array.size) {
      array.show(i, row)
      add(row, row.getLong(timeOrdinal))
      i += 1
    }
  }

  private def note(time: Long): Unit = {
    val i = rows.size
    if (i == micros.length) micros = Arrays.copyOf(micros, 2 * i)
    micros(i) = time
  }

  /**
   * Brings the rows into the order of their times; rows of one time keep their order.
   *
   * @param ofOneTime
   *   the order of rows of one time, of which only the last one stays; null if all of them do
   */
  def sort(ofOneTime: TimedRows.Ties): Unit = if (!isSorted(ofOneTime != null)) {
    val order = Array.tabulate(size)(Integer.valueOf(_))
    Arrays.sort(
      order,
      (a: Integer, b: Integer) => {
        val byTime = java.lang.Long.compare(micros(a), micros(b))
        if (byTime != 0 || ofOneTime == null) byTime else ofOneTime.compare(this, a, this, b)
      }
    )
    val (from, fromMicros) = (rows, micros)
    rows = spare
    micros = spareMicros
    var i = 0
    while (i < order.length) {
      val at = order(i).intValue
      val isLast = i + 1 == order.length || fromMicros(order(i + 1)) != fromMicros(at)
      if (ofOneTime == null || isLast) {
        note(fromMicros(at))
        rows.add(from, at)
      }
      i += 1
    }
    from.clear()
    spare = from
    spareMicros = fromMicros
  }

  private def isSorted(isDistinct: Boolean): Boolean = {
    var i = 1
    while (i < size && (micros(i - 1) < micros(i) || !isDistinct && micros(i - 1) == micros(i)))
      i += 1
    i >= size
  }

  /** Of rows in their order, the last one at or before a time; -1 if there is none. */
  def lastUpTo(time: Long): Int = {
    var (low, high) = (0, size)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (micros(middle) <= time) low = middle + 1 else high = middle
    }
    low - 1
  }

  /** Removes the first rows. */
  def removeFirst(n: Int): Unit =
    if (n > 0) rows.removeIf(_ < n)((from, to) => micros(to) = micros(from))
}

private[asof] object TimedRows {

  /** One large key must not cost memory for ever. */
  private val MostKept = 1 << 20

  /**
   * Which of two rows of one time is the newer one: the one with the greater columns, so that it
   * does not matter which came first.
   *
   * @param order
   *   compares the columns
   */
  final class Ties(order: Ordering[InternalRow], fields: Int) {
    private val (one, other) = (new UnsafeRow(fields), new UnsafeRow(fields))

    def compare(rows: TimedRows, i: Int, others: TimedRows, j: Int): Int = {
      rows.point(i, one)
      others.point(j, other)
      order.compare(one, other)
    }
  }
}
