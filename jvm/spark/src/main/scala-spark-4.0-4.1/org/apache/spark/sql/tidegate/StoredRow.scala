package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** What Spark's state store in memory has for a key: the row. */
object StoredRow {
  type Type = UnsafeRow

  def row(stored: Type): UnsafeRow = stored

  def of(row: UnsafeRow): Type = row
}
