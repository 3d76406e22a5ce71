package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** A key: equal to all others with the same bytes. */
private[tidegate] sealed abstract class KeyBytes {
  protected def base: AnyRef
  protected def offset: Long
  protected def size: Int

  override def hashCode: Int = Murmur3_x86_32.hashUnsafeWords(base, offset, size, 42)

  override def equals(other: Any): Boolean = other match {
    case o: KeyBytes =>
      size == o.size && ByteArrayMethods.arrayEquals(base, offset, o.base, o.offset, size.toLong)
    case _ => false
  }
}

/** A key that is looked for. */
private[tidegate] final class SoughtKey(key: UnsafeRow) extends KeyBytes {
  override protected def base: AnyRef = key.getBaseObject
  override protected def offset: Long = key.getBaseOffset
  override protected def size: Int = key.getSizeInBytes
}

/**
 * A key and its row in one array: with an array and an object for each of the two, a short row
 * would take half as much memory again.
 */
private[tidegate] final class StoredPair private (bytes: Array[Byte], keyBytes: Int)
    extends KeyBytes {
  import StoredPair._

  override protected def base: AnyRef = bytes
  override protected def offset: Long = Start
  override protected def size: Int = keyBytes

  /** The bytes of both. */
  def totalBytes: Int = bytes.length

  def key(fields: Int): UnsafeRow = view(fields, 0, keyBytes)

  def row(fields: Int): UnsafeRow = view(fields, keyBytes, bytes.length - keyBytes)

  private def view(fields: Int, at: Int, size: Int): UnsafeRow = {
    val row = new UnsafeRow(fields)
    row.pointTo(bytes, Start + at, size)
    row
  }
}

private[tidegate] object StoredPair {
  private val Start = Platform.BYTE_ARRAY_OFFSET.toLong

  def apply(key: UnsafeRow, row: UnsafeRow): StoredPair = {
    val bytes = new Array[Byte](Math.addExact(key.getSizeInBytes, row.getSizeInBytes))
    key.writeToMemory(bytes, Start)
    row.writeToMemory(bytes, Start + key.getSizeInBytes)
    new StoredPair(bytes, key.getSizeInBytes)
  }
}
