package tidegate.own.join

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeArrayData, UnsafeRow}
import tidegate.columns.EventTimeTag
import tidegate.own.join.JoinStateSchema._
import tidegate.own.rows.{RowArray, RowBytes}

/**
 * Rows of one side of a join in memory, in a buffer that is used again for other rows: each with
 * its time in µs, and whether it has found a partner.
 */
private[join] final class SideRows {
  private val rows = new RowBytes(SideRows.MostKept)
  private var micros = new Array[Long](16)
  private var found = new Array[Boolean](16)
  private var isMarked = false

  /** The rows alone. */
  def bytes: RowBytes = rows

  /** The number of rows. */
  def size: Int = rows.size

  /** The bytes of all rows. */
  def byteSize: Int = rows.byteSize

  def time(i: Int): Long = micros(i)

  def isMatched(i: Int): Boolean = found(i)

  def isAnyMatched: Boolean = {
    var i = 0
    while (i < size && !found(i)) i += 1
    i < size
  }

  /** Marks a row that has found a partner. */
  def setMatched(i: Int): Unit = if (!found(i)) {
    found(i) = true
    isMarked = true
  }

  /** Whether a row was marked since the rows were cleared. */
  def isChanged: Boolean = isMarked

  /** Lets `row` show a row until rows are added or removed. */
  def point(i: Int, row: UnsafeRow): Unit = rows.point(i, row)

  def clear(): Unit = {
    rows.clear()
    isMarked = false
  }

  def add(row: UnsafeRow, timeMicros: Long): Unit = {
    note(timeMicros, isMatched = false)
    rows.add(row)
  }

  /** Adds a row of other rows. */
  def add(other: SideRows, i: Int): Unit = {
    note(other.micros(i), other.found(i))
    rows.add(other.rows, i)
  }

  /** Adds all rows of other rows. */
  def addAll(other: SideRows): Unit = (0 until other.size).foreach(add(other, _))

  /** Notes that a row from the state had found a partner before. */
  def wasMatched(i: Int): Unit = found(i) = true

  /** Adds the rows of an array in the state. */
  def addAll(array: RowArray, time: SideTime, row: UnsafeRow): Unit = {
    var i = 0
    while (i < array.size) {
      array.show(i, row)
      add(row, time.micros(row))
      i += 1
    }
  }

  /** Notes what there is to know of the next row. */
  private def note(time: Long, isMatched: Boolean): Unit = {
    val i = rows.size
    if (i == micros.length) {
      micros = Arrays.copyOf(micros, 2 * i)
      found = Arrays.copyOf(found, 2 * i)
    }
    micros(i) = time
    found(i) = isMatched
  }

  /** Removes the rows for which `leaves` holds; the others keep their order. */
  def removeIf(leaves: Int => Boolean): Unit = rows.removeIf(leaves) { (from, to) =>
    micros(to) = micros(from)
    found(to) = found(from)
  }

  /** The lowest time; [[Long.MaxValue]] if there are no rows. */
  def lowest: Long = {
    var (i, low) = (0, Long.MaxValue)
    while (i < size) {
      if (micros(i) < low) low = micros(i)
      i += 1
    }
    low
  }

  /** The lowest time of a row without a partner; [[Long.MaxValue]] if there is none. */
  def lowestUnmatched: Long = lowestUnmatchedFrom(Long.MinValue)

  /** The same of the rows that are not earlier than a time. */
  def lowestUnmatchedFrom(time: Long): Long = {
    var (i, low) = (0, Long.MaxValue)
    while (i < size) {
      if (micros(i) < low && micros(i) >= time && !found(i)) low = micros(i)
      i += 1
    }
    low
  }

  /** The highest time; [[Long.MinValue]] if there are no rows. */
  def highest: Long = {
    var (i, high) = (0, Long.MinValue)
    while (i < size) {
      if (micros(i) > high) high = micros(i)
      i += 1
    }
    high
  }
}

private object SideRows {

  /** One large key must not cost memory for ever. */
  private val MostKept = 1 << 20
}

/** Rows of both sides: those of a head, or of a chunk. */
private[join] final class TwoSides(leftFields: Int, rightFields: Int, times: Sides[SideTime]) {
  val left: SideRows = new SideRows
  val right: SideRows = new SideRows
  private val leftRow = new UnsafeRow(leftFields)
  private val rightRow = new UnsafeRow(rightFields)
  private val array = new RowArray

  def of(isLeft: Boolean): SideRows = if (isLeft) left else right

  def size: Int = left.size + right.size

  def byteSize: Long = left.byteSize.toLong + right.byteSize

  def isEmpty: Boolean = size == 0

  /** Whether a row has found a partner since the rows were read. */
  def isChanged: Boolean = left.isChanged || right.isChanged

  def clear(): Unit = {
    left.clear()
    right.clear()
  }

  /** Takes the rows of a value of the state in place of those before. */
  def read(value: UnsafeRow): Unit = {
    clear()
    addAll(value, Left, left, times.left, leftRow)
    addAll(value, Right, right, times.right, rightRow)
    if (!value.isNullAt(Matched)) readMatched(value.getArray(Matched))
  }

  private def addAll(
      value: UnsafeRow,
      column: Int,
      to: SideRows,
      time: SideTime,
      row: UnsafeRow
  ): Unit =
    if (!value.isNullAt(column)) {
      array.pointTo(value, column)
      to.addAll(array, time, row)
    }

  private def readMatched(matched: UnsafeArrayData): Unit = {
    val (lefts, all) = (left.size, size)
    var i = 0
    while (i < all) {
      if (matched.getBoolean(i)) {
        if (i < lefts) left.wasMatched(i) else right.wasMatched(i - lefts)
      }
      i += 1
    }
  }
}

/**
 * The time of a row by which it leaves the state: a column, or the end of a window.
 *
 * @param ordinal
 *   the place of the column in the row
 */
private[join] final case class SideTime(ordinal: Int, isWindow: Boolean) {

  def isNull(row: UnsafeRow): Boolean = row.isNullAt(ordinal)

  /** In µs from the epoch. */
  def micros(row: UnsafeRow): Long =
    if (isWindow) row.getStruct(ordinal, 2).getLong(1) else row.getLong(ordinal)
}

private[join] object SideTime {

  /** A column of the output of a side. */
  def of(time: Attribute, output: Seq[Attribute]): SideTime = {
    val ordinal = output.indexWhere(_.exprId == time.exprId)
    // Memory would be read that is not the row's.
    if (ordinal < 0)
      throw new IllegalStateException(s"The time $time is not in ${output.mkString(", ")}.")
    SideTime(ordinal, EventTimeTag.isWindow(time))
  }
}
