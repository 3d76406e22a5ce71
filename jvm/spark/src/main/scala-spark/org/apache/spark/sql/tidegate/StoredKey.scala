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

  /** Not to be changed. */
  def bytes: Array[Byte]

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
  override def bytes: Array[Byte] = key.getBytes
}

/** A key in a map: its bytes alone, for a row takes 40 bytes more. */
private[tidegate] final class StoredKey(override val bytes: Array[Byte]) extends KeyBytes {
  override protected def base: AnyRef = bytes
  override protected def offset: Long = Platform.BYTE_ARRAY_OFFSET.toLong
  override protected def size: Int = bytes.length
}
