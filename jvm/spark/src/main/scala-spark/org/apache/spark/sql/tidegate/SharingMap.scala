package org.apache.spark.sql.tidegate

import java.util.AbstractMap.SimpleImmutableEntry
import java.util.Map.Entry

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.{HDFSBackedStateStoreMap, UnsafeRowPair}
import org.apache.spark.util.KnownSizeEstimation

/**
 * The rows of a version of a state in memory. The next version shares with this one what has not
 * changed, so a version costs what changes, and not what is held.
 *
 * An iterator shows the rows as they were when it was made.
 */
final class SharingMap private (
    private var rows: SharedRows,
    private var bytes: Long
) extends HDFSBackedStateStoreMap
    with KnownSizeEstimation {
  import SharingMap._

  private var addedBytes = 0L

  /** A map with the same rows; neither of the two sees the changes of the other. */
  def next: SharingMap = new SharingMap(rows, bytes)

  /** The bytes of the rows that are not in the map before, at most. */
  def ownBytes: Long = math.min(addedBytes, bytes)

  override def estimatedSize: Long = bytes

  override def size(): Int = rows.size

  override def get(key: UnsafeRow): UnsafeRow = rows.get(key) match {
    case null   => null
    case stored => StoredRow.row(stored)
  }

  override def put(key: UnsafeRow, value: StoredRow.Type): StoredRow.Type = {
    val before = rows.get(key)
    rows = rows.updated(key, value)
    val added = bytesOf(key, value)
    addedBytes += added
    bytes += added - (if (before == null) 0L else bytesOf(key, before))
    before
  }

  override def putAll(other: HDFSBackedStateStoreMap): Unit =
    other.iterator().foreach(pair => put(pair.key, StoredRow.of(pair.value)))

  override def remove(key: UnsafeRow): StoredRow.Type = {
    val before = rows.get(key)
    if (before != null) {
      rows = rows.removed(key)
      bytes -= bytesOf(key, before)
    }
    before
  }

  override def iterator(): Iterator[UnsafeRowPair] = pairs(rows.iterator)

  /** Spark has this since 4.2. */
  def entryIterator(): Iterator[Entry[UnsafeRow, StoredRow.Type]] =
    rows.iterator.map { case (key, stored) => new SimpleImmutableEntry(key, stored) }

  override def prefixScan(prefixKey: UnsafeRow): Iterator[UnsafeRowPair] =
    pairs(rows.startingWith(prefixKey))

  private def pairs(rows: Iterator[(UnsafeRow, StoredRow.Type)]): Iterator[UnsafeRowPair] = {
    val pair = new UnsafeRowPair()
    rows.map { case (key, stored) => pair.withRows(key, StoredRow.row(stored)) }
  }
}

object SharingMap {

  /**
   * A map without rows.
   *
   * @param prefixColumns
   *   by how many of their first columns keys are found, which are of a fixed length; 0 if keys are
   *   only found as a whole
   */
  def empty(prefixColumns: Int = 0): SharingMap =
    new SharingMap(SharedRows.empty(prefixColumns), 0L)

  /** Rows that Spark has read. */
  def of(rows: Iterator[UnsafeRowPair], prefixColumns: Int = 0): SharingMap = {
    val map = empty(prefixColumns)
    rows.foreach(pair => map.put(pair.key, StoredRow.of(pair.value)))
    map.addedBytes = 0L
    map
  }

  private def bytesOf(key: UnsafeRow, stored: StoredRow.Type): Long =
    ObjectBytes + key.getSizeInBytes + StoredRow.row(stored).getSizeInBytes

  /** What a key has beside its bytes: two rows with their arrays, and its share of the map. */
  private val ObjectBytes = 176L
}
