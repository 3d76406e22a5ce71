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
    shape: SharingMap.Shape,
    private var rows: SharedRows,
    private var bytes: Long
) extends HDFSBackedStateStoreMap
    with KnownSizeEstimation {
  import SharingMap._

  private var addedBytes = 0L

  /** A map with the same rows; neither of the two sees the changes of the other. */
  def next: SharingMap = new SharingMap(shape, rows, bytes)

  /** The bytes of the rows that are not in the map before, at most. */
  def ownBytes: Long = math.min(addedBytes, bytes)

  override def estimatedSize: Long = bytes

  override def size(): Int = rows.size

  override def get(key: UnsafeRow): UnsafeRow = rows.get(key) match {
    case null  => null
    case bytes => row(bytes)
  }

  override def put(key: UnsafeRow, value: StoredRow.Type): StoredRow.Type = {
    val before = rows.get(key)
    val row = StoredRow.row(value).getBytes
    rows = rows.updated(key, row)
    addedBytes += bytesOf(key, row)
    bytes += bytesOf(key, row) - (if (before == null) 0L else bytesOf(key, before))
    stored(before)
  }

  override def putAll(other: HDFSBackedStateStoreMap): Unit =
    other.iterator().foreach(pair => put(pair.key, StoredRow.of(pair.value)))

  override def remove(key: UnsafeRow): StoredRow.Type = {
    val before = rows.get(key)
    if (before != null) {
      rows = rows.removed(key)
      bytes -= bytesOf(key, before)
    }
    stored(before)
  }

  override def iterator(): Iterator[UnsafeRowPair] = pairs(rows.iterator)

  /** Spark has this since 4.2. */
  def entryIterator(): Iterator[Entry[UnsafeRow, StoredRow.Type]] =
    rows.iterator.map { case (k, bytes) => new SimpleImmutableEntry(key(k), stored(bytes)) }

  override def prefixScan(prefixKey: UnsafeRow): Iterator[UnsafeRowPair] =
    pairs(rows.startingWith(prefixKey))

  private def pairs(rows: Iterator[SharedRows.Entry]): Iterator[UnsafeRowPair] = {
    val shown = new UnsafeRowPair()
    rows.map { case (k, bytes) => shown.withRows(key(k), row(bytes)) }
  }

  private def key(stored: KeyBytes): UnsafeRow = view(stored.bytes, shape.keyColumns)

  private def row(bytes: Array[Byte]): UnsafeRow = view(bytes, shape.valueColumns)

  private def view(bytes: Array[Byte], columns: Int): UnsafeRow = {
    val row = new UnsafeRow(columns)
    row.pointTo(bytes, bytes.length)
    row
  }

  private def stored(bytes: Array[Byte]): StoredRow.Type =
    if (bytes == null) null else StoredRow.of(row(bytes))
}

object SharingMap {

  /**
   * How many columns keys and rows have.
   *
   * @param prefixColumns
   *   by how many of their first columns keys are found, which are of a fixed length; 0 if keys are
   *   only found as a whole
   */
  final case class Shape(keyColumns: Int, valueColumns: Int, prefixColumns: Int)

  /** A map without rows. */
  def empty(shape: Shape): SharingMap =
    new SharingMap(shape, SharedRows.empty(shape.prefixColumns), 0L)

  /** Rows that Spark has read. */
  def of(rows: Iterator[UnsafeRowPair], shape: Shape): SharingMap = {
    val map = empty(shape)
    rows.foreach(pair => map.put(pair.key, StoredRow.of(pair.value)))
    map.addedBytes = 0L
    map
  }

  private def bytesOf(key: UnsafeRow, row: Array[Byte]): Long =
    ObjectBytes + key.getSizeInBytes + row.length

  /** What a key has beside its bytes and those of its row: two arrays, and its share of the map. */
  private val ObjectBytes = 96L
}
