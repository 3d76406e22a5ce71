package org.apache.spark.sql.tidegate

import scala.collection.immutable.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows by their keys. Rows that are made of others share with them what has not changed. */
private[tidegate] sealed trait SharedRows {

  def size: Int

  /** The row of a key; null if there is none. */
  def get(key: UnsafeRow): StoredRow.Type

  def updated(key: UnsafeRow, row: StoredRow.Type): SharedRows

  /** Without the row of a key, which must be there. */
  def removed(key: UnsafeRow): SharedRows

  def iterator: Iterator[(UnsafeRow, StoredRow.Type)]

  /** The rows whose keys begin with these columns. */
  def startingWith(prefix: UnsafeRow): Iterator[(UnsafeRow, StoredRow.Type)]
}

private[tidegate] object SharedRows {
  private type Rows = HashMap[UnsafeRow, StoredRow.Type]

  /**
   * No rows.
   *
   * @param prefixColumns
   *   by how many of their first columns keys are found, which are of a fixed length; 0 if keys are
   *   only found as a whole
   */
  def empty(prefixColumns: Int): SharedRows =
    if (prefixColumns == 0) new WholeKeys(HashMap.empty)
    else new PrefixedKeys(prefixColumns, HashMap.empty, 0)

  private final class WholeKeys(rows: Rows) extends SharedRows {

    override def size: Int = rows.size

    override def get(key: UnsafeRow): StoredRow.Type = rows.getOrElse(key, null)

    override def updated(key: UnsafeRow, row: StoredRow.Type): SharedRows =
      new WholeKeys(rows.updated(key, row))

    override def removed(key: UnsafeRow): SharedRows = new WholeKeys(rows.removed(key))

    override def iterator: Iterator[(UnsafeRow, StoredRow.Type)] = rows.iterator

    /** As in Spark's map of a store whose keys have no prefix. */
    override def startingWith(prefix: UnsafeRow): Iterator[(UnsafeRow, StoredRow.Type)] =
      throw new UnsupportedOperationException("Keys are only found as a whole.")
  }

  /** A map of rows for each prefix. */
  private final class PrefixedKeys(
      columns: Int,
      groups: HashMap[UnsafeRow, Rows],
      override val size: Int
  ) extends SharedRows {

    override def get(key: UnsafeRow): StoredRow.Type =
      group(prefixOf(key)).getOrElse(key, null)

    override def updated(key: UnsafeRow, row: StoredRow.Type): SharedRows = {
      val prefix = prefixOf(key)
      val before = group(prefix)
      val after = before.updated(key, row)
      new PrefixedKeys(columns, groups.updated(prefix, after), size + after.size - before.size)
    }

    override def removed(key: UnsafeRow): SharedRows = {
      val prefix = prefixOf(key)
      val after = group(prefix).removed(key)
      val others = if (after.isEmpty) groups.removed(prefix) else groups.updated(prefix, after)
      new PrefixedKeys(columns, others, size - 1)
    }

    override def iterator: Iterator[(UnsafeRow, StoredRow.Type)] =
      groups.valuesIterator.flatMap(_.iterator)

    override def startingWith(prefix: UnsafeRow): Iterator[(UnsafeRow, StoredRow.Type)] =
      group(prefix).iterator

    private def group(prefix: UnsafeRow): Rows = groups.getOrElse(prefix, HashMap.empty)

    /** The row that Spark makes of the first columns, without a projection: threads share this. */
    private def prefixOf(key: UnsafeRow): UnsafeRow = {
      val words = UnsafeRow.calculateBitSetWidthInBytes(key.numFields)
      val bytes = new Array[Byte](8 + 8 * columns)
      val nulls = Platform.getLong(key.getBaseObject, key.getBaseOffset) & ((1L << columns) - 1)
      Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, nulls)
      Platform.copyMemory(
        key.getBaseObject,
        key.getBaseOffset + words,
        bytes,
        Platform.BYTE_ARRAY_OFFSET.toLong + 8,
        8L * columns
      )
      val prefix = new UnsafeRow(columns)
      prefix.pointTo(bytes, bytes.length)
      prefix
    }
  }
}
