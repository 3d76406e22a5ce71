package org.apache.spark.sql.tidegate

import java.util.AbstractMap.SimpleImmutableEntry
import java.util.Map.Entry

import scala.collection.immutable.HashMap

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
    private var rows: HashMap[UnsafeRow, StoredRow.Type],
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

  override def get(key: UnsafeRow): UnsafeRow = rows.getOrElse(key, null) match {
    case null   => null
    case stored => StoredRow.row(stored)
  }

  override def put(key: UnsafeRow, value: StoredRow.Type): StoredRow.Type = {
    val before = rows.getOrElse(key, null)
    rows = rows.updated(key, value)
    val added = bytesOf(key, value)
    addedBytes += added
    bytes += added - (if (before == null) 0L else bytesOf(key, before))
    before
  }

  override def putAll(other: HDFSBackedStateStoreMap): Unit =
    other.iterator().foreach(pair => put(pair.key, StoredRow.of(pair.value)))

  override def remove(key: UnsafeRow): StoredRow.Type = {
    val before = rows.getOrElse(key, null)
    if (before != null) {
      rows = rows.removed(key)
      bytes -= bytesOf(key, before)
    }
    before
  }

  override def iterator(): Iterator[UnsafeRowPair] = {
    val pair = new UnsafeRowPair()
    rows.iterator.map { case (key, stored) => pair.withRows(key, StoredRow.row(stored)) }
  }

  /** Spark has this since 4.2. */
  def entryIterator(): Iterator[Entry[UnsafeRow, StoredRow.Type]] =
    rows.iterator.map { case (key, stored) => new SimpleImmutableEntry(key, stored) }

  /** As in Spark's map of a store whose keys have no prefix. */
  override def prefixScan(prefixKey: UnsafeRow): Iterator[UnsafeRowPair] =
    throw new UnsupportedOperationException("Keys are only found as a whole.")
}

object SharingMap {
  def empty: SharingMap = new SharingMap(HashMap.empty, 0L)

  /** The rows of a map that Spark has filled. */
  def of(other: HDFSBackedStateStoreMap): SharingMap = {
    val rows = HashMap.from(other.iterator().map(p => p.key -> StoredRow.of(p.value)))
    val bytes = rows.iterator.map { case (key, stored) => bytesOf(key, stored) }.sum
    new SharingMap(rows, bytes)
  }

  private def bytesOf(key: UnsafeRow, stored: StoredRow.Type): Long =
    ObjectBytes + key.getSizeInBytes + StoredRow.row(stored).getSizeInBytes

  /** What a key has beside its bytes: two rows with their arrays, and its share of the map. */
  private val ObjectBytes = 176L
}
