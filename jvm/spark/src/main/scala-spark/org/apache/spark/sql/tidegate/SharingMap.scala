package org.apache.spark.sql.tidegate

import java.util.AbstractMap.SimpleImmutableEntry
import java.util.Map.Entry

import scala.collection.immutable.HashMap

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.{HDFSBackedStateStoreMap, UnsafeRowPair}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.KnownSizeEstimation

/**
 * The rows of a version of a state in memory. The next version shares with this one what has not
 * changed, so a version costs what changes, and not what is held.
 *
 * An iterator shows the rows as they were when it was made.
 *
 * @param prefix
 *   how keys are found by the first of their columns, if they are
 */
final class SharingMap private (
    private var rows: HashMap[UnsafeRow, StoredRow.Type],
    private var bytes: Long,
    private var byPrefix: HashMap[UnsafeRow, Set[UnsafeRow]],
    prefix: Option[SharingMap.Prefix]
) extends HDFSBackedStateStoreMap
    with KnownSizeEstimation {
  import SharingMap._

  private var addedBytes = 0L
  private lazy val prefixOf = prefix.map(_.projection())

  /** A map with the same rows; neither of the two sees the changes of the other. */
  def next: SharingMap = new SharingMap(rows, bytes, byPrefix, prefix)

  /** The bytes of the rows that were put into this map, and are not in the one before. */
  def ownBytes: Long = addedBytes

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
    bytes += added
    if (before != null) bytes -= bytesOf(key, before)
    else
      prefixOf.foreach { p =>
        val of = p(key).copy()
        byPrefix = byPrefix.updated(of, byPrefix.getOrElse(of, Set.empty[UnsafeRow]) + key)
      }
    before
  }

  override def putAll(other: HDFSBackedStateStoreMap): Unit =
    other.iterator().foreach(pair => put(pair.key, StoredRow.of(pair.value)))

  override def remove(key: UnsafeRow): StoredRow.Type = {
    val before = rows.getOrElse(key, null)
    if (before != null) {
      rows = rows.removed(key)
      bytes -= bytesOf(key, before)
      prefixOf.foreach { p =>
        val of = p(key).copy()
        val others = byPrefix.getOrElse(of, Set.empty[UnsafeRow]) - key
        byPrefix = if (others.isEmpty) byPrefix.removed(of) else byPrefix.updated(of, others)
      }
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

  override def prefixScan(prefixKey: UnsafeRow): Iterator[UnsafeRowPair] = {
    val (pair, now) = (new UnsafeRowPair(), rows)
    byPrefix.getOrElse(prefixKey, Set.empty[UnsafeRow]).iterator.map { key =>
      pair.withRows(key, StoredRow.row(now(key)))
    }
  }
}

object SharingMap {

  /** Keys are found by the first `columns` of their columns. */
  final case class Prefix(keySchema: StructType, columns: Int) {

    /** For one thread. */
    def projection(): UnsafeProjection =
      UnsafeProjection.create(keySchema.take(columns).zipWithIndex.map { case (field, i) =>
        BoundReference(i, field.dataType, field.nullable)
      })
  }

  def empty(prefix: Option[Prefix]): SharingMap =
    new SharingMap(HashMap.empty, 0L, HashMap.empty, prefix)

  /** The rows of a map that Spark has filled. */
  def of(other: HDFSBackedStateStoreMap, prefix: Option[Prefix]): SharingMap = {
    val rows = HashMap.from(other.iterator().map(p => p.key -> StoredRow.of(p.value)))
    val bytes = rows.iterator.map { case (key, stored) => bytesOf(key, stored) }.sum
    val byPrefix = prefix.fold(HashMap.empty[UnsafeRow, Set[UnsafeRow]]) { p =>
      val of = p.projection()
      HashMap.from(rows.keysIterator.toSeq.groupBy(of(_).copy()).map { case (k, keys) =>
        k -> keys.toSet
      })
    }
    new SharingMap(rows, bytes, byPrefix, prefix)
  }

  private def bytesOf(key: UnsafeRow, stored: StoredRow.Type): Long =
    ObjectBytes + key.getSizeInBytes + StoredRow.row(stored).getSizeInBytes

  /** What a key has beside its bytes: two rows with their arrays, and its share of the map. */
  private val ObjectBytes = 176L
}
