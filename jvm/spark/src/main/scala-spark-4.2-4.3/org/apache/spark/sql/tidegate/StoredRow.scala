package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.{StateStoreRow, UnsafeRowWrapper}

/** What Spark's state store in memory has for a key: the row, maybe with a checksum. */
object StoredRow {
  type Type = UnsafeRowWrapper

  def row(stored: Type): UnsafeRow = stored.unsafeRow()

  def of(row: UnsafeRow): Type = StateStoreRow(row)
}
