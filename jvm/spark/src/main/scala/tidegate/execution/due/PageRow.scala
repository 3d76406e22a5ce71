package tidegate.execution.due

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.core.due.DuePage

/**
 * A page as the store returned it, read in place.
 *
 * @param value
 *   is changed: the times leave the places that they have in keys
 */
private[due] final class PageRow(value: UnsafeRow, keyFields: Int) extends DuePage[UnsafeRow] {
  private val base = value.getBaseObject
  private val array = {
    val due = value.getStruct(value.numFields - 1, 2)
    due.getBaseOffset + (due.getLong(0) >>> 32)
  }
  private val places = array + UnsafeArrayData.calculateHeaderPortionInBytes(size)
  private val view = new UnsafeRow(keyFields)
  private val times = Array.tabulate(size) { i =>
    val entry = key(i)
    val time = entry.getLong(keyFields - 1)
    entry.setNullAt(keyFields - 1)
    time
  }

  override def size: Int = Platform.getLong(base, array).toInt

  override def due(i: Int): Long = times(i)

  override def key(i: Int): UnsafeRow = {
    val place = Platform.getLong(base, places + 8L * i)
    view.pointTo(base, array + (place >>> 32), place.toInt)
    view
  }
}
