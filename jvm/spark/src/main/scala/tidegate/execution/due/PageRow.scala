package tidegate.execution.due

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.core.due.DuePage

/** A page as the store returned it, read in place. */
private[due] final class PageRow(value: UnsafeRow, keyFields: Int) extends DuePage[UnsafeRow] {
  private val base = value.getBaseObject
  private val array = {
    val due = value.getStruct(value.numFields - 1, 2)
    due.getBaseOffset + (due.getLong(0) >>> 32)
  }
  private val places = array + UnsafeArrayData.calculateHeaderPortionInBytes(size)
  private val view = new UnsafeRow(keyFields)

  override def size: Int = Platform.getLong(base, array).toInt

  override def due(i: Int): Long = Platform.getLong(base, entry(i) + PageBuffer.DueAt)

  override def key(i: Int): UnsafeRow = {
    val at = entry(i)
    view.pointTo(base, at + PageBuffer.KeyAt, Platform.getLong(base, at + 8).toInt)
    view
  }

  private def entry(i: Int): Long = array + (Platform.getLong(base, places + 8L * i) >>> 32)
}
