package tidegate.own

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{CalendarIntervalType, StructType}

/**
 * Makes rows of a state, in which columns may be NULL that are never NULL in a row of an operator.
 *
 * Spark's projection gives a NULL of type INTERVAL a place for its bytes. Spark's state store takes
 * such a row, and fails when it is the first one that a task reads.
 */
private[own] final class ToStateRow(schema: StructType) {
  private val project = UnsafeProjection.create(schema)
  private val intervals = schema.indices.filter(schema(_).dataType == CalendarIntervalType)

  /** The same object for each row. */
  def apply(values: InternalRow): UnsafeRow = {
    val row = project(values)
    intervals.foreach(i => if (row.isNullAt(i)) row.setNullAt(i))
    row
  }
}
