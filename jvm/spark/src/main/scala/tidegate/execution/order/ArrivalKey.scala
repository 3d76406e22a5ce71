package tidegate.execution.order

import java.nio.ByteBuffer
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The key of a row in the state: one column of 24 bytes, in an order that is that of the rows.
 *
 *   1. its event time in µs, with the sign turned, so that times before 1970 come first;
 *   1. the number of the batch that it came in;
 *   1. its number in that batch, among those of its partition.
 *
 * All are big-endian. A state store sorts keys by their bytes, if at all, and what precedes these
 * 24 is the same in every key. Numbers of batches go on after a restart, and a batch that is run
 * again gives its rows the keys that they had.
 */
private[order] final class ArrivalKey(batchId: Long) {
  import ArrivalKey._

  private val bytes = new Array[Byte](Start + Length)
  private val buffer = ByteBuffer.wrap(bytes)
  private var arrived = 0L

  private val row = new UnsafeRow(1)
  row.pointTo(bytes, bytes.length)
  // How Spark writes where a value is, and how long.
  row.setLong(0, Start.toLong << 32 | Length.toLong)
  buffer.putLong(Start + 8, batchId)

  /** The key of the next row; good until the next call. */
  def next(micros: Long): UnsafeRow = {
    buffer.putLong(Start, micros ^ Long.MinValue)
    buffer.putLong(Start + 16, arrived)
    arrived += 1
    row
  }
}

private[order] object ArrivalKey {
  private val Length = 24

  /** After the bits for nulls and the place of the value. */
  private val Start = 16

  /** The order of rows, which is that of the bytes of their keys. */
  val Order: Ordering[UnsafeRow] = (a, b) => Arrays.compareUnsigned(bytes(a), bytes(b))

  private def bytes(key: UnsafeRow): Array[Byte] = key.getBinary(0)

  /** The event time in a key, in µs. */
  def micros(key: UnsafeRow): Long = ByteBuffer.wrap(bytes(key)).getLong(0) ^ Long.MinValue
}
