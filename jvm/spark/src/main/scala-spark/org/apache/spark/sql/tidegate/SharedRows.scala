package org.apache.spark.sql.tidegate

import scala.collection.immutable.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * The bytes of rows by their keys. Rows that are made of others share with them what has not
 * changed.
 */
private[tidegate] sealed trait SharedRows {
  import SharedRows.Entry

  def size: Int

  /** The row of a key; null if there is none. */
  def get(key: UnsafeRow): Array[Byte]

  def updated(key: UnsafeRow, row: Array[Byte]): SharedRows

  /** Without the row of a key, which must be there. */
  def removed(key: UnsafeRow): SharedRows

  def iterator: Iterator[Entry]

  /** The rows whose keys begin with these columns. */
  def startingWith(prefix: UnsafeRow): Iterator[Entry]
}

private[tidegate] object SharedRows {

  /** A key and the bytes of its row. */
  type Entry = (KeyBytes, Array[Byte])

  private type Rows = HashMap[KeyBytes, Array[Byte]]

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

    override def get(key: UnsafeRow): Array[Byte] = rows.getOrElse(new SoughtKey(key), null)

    override def updated(key: UnsafeRow, row: Array[Byte]): SharedRows =
      new WholeKeys(rows.updated(new StoredKey(key.getBytes), row))

    override def removed(key: UnsafeRow): SharedRows =
      new WholeKeys(rows.removed(new SoughtKey(key)))

    override def iterator: Iterator[Entry] = rows.iterator

    /** As in Spark's map of a store whose keys have no prefix. */
    override def startingWith(prefix: UnsafeRow): Iterator[Entry] =
      throw new UnsupportedOperationException("Keys are only found as a whole.")
  }

  /** A map of rows for each prefix. */
  private final class PrefixedKeys(
      columns: Int,
      groups: HashMap[UnsafeRow, Rows],
      override val size: Int
  ) extends SharedRows {

    override def get(key: UnsafeRow): Array[Byte] =
      group(prefixOf(key)).getOrElse(new SoughtKey(key), null)

    override def updated(key: UnsafeRow, row: Array[Byte]): SharedRows = {
      val prefix = prefixOf(key)
      val before = group(prefix)
      val after = before.updated(new StoredKey(key.getBytes), row)
      new PrefixedKeys(columns, groups.updated(prefix, after), size + after.size - before.size)
    }

    override def removed(key: UnsafeRow): SharedRows = {
      val prefix = prefixOf(key)
      val after = group(prefix).removed(new SoughtKey(key))
      val others = if (after.isEmpty) groups.removed(prefix) else groups.updated(prefix, after)
      new PrefixedKeys(columns, others, size - 1)
    }

    override def iterator: Iterator[Entry] = groups.valuesIterator.flatMap(_.iterator)

    override def startingWith(prefix: UnsafeRow): Iterator[Entry] =
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
