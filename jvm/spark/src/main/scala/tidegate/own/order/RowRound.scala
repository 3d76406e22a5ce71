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
