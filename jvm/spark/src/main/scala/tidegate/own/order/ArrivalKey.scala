package tidegate.own.order

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import tidegate.statistics.DueTimes

/**
 * The key of a row in the state, or of a page by its first row: one column of 24 bytes, which sort
 * as the rows do.
 *
 *   1. its event time in µs, with the sign bit inverted, so that times before 1970 come first;
 *   1. the number of the batch that it arrived in;
 *   1. its number among the rows of that batch in its partition. Where rows are sorted before they
 *      are numbered, only those of one time have the order in which they came.
 *
 * All are big-endian. A state store sorts keys by their bytes, if it sorts them, and the bytes
 * before these 24 are the same in every key. Batch numbers continue after a restart, and a batch
 * that runs again gives its rows the same keys.
 */
private[order] final class ArrivalKey(batchId: Long) {
  import ArrivalKey._

  private val bytes = new Array[Byte](Start + Length)
  private val buffer = ByteBuffer.wrap(bytes)
  private var arrived = 0L

  private val row = new UnsafeRow(1)
  row.pointTo(bytes, bytes.length)
  // Spark's encoding of the position and length of a value.
  row.setLong(0, Start.toLong << 32 | Length.toLong)

  /** The key of the next row; valid until the next call. */
  def next(micros: Long): UnsafeRow = {
    val key = of(micros, batchId, arrived)
    arrived += 1
    key
  }

  /** The key of a row that arrived before; valid until the next call. */
  def of(arrival: Arrival): UnsafeRow = of(arrival.micros, arrival.batchId, arrival.number)

  private def of(micros: Long, batchId: Long, number: Long): UnsafeRow = {
    buffer.putLong(Start, micros ^ Long.MinValue)
    buffer.putLong(Start + 8, batchId)
    buffer.putLong(Start + 16, number)
    row
  }
}

private[order] object ArrivalKey {
  private val Length = 24

  /** After the null bits and the position of the value. */
  private val Start = 16

  /** The key of the head of a partition: a value without bytes, which comes before all others. */
  def head: UnsafeRow = {
    val row = new UnsafeRow(1)
    row.pointTo(new Array[Byte](Start), Start)
    row.setLong(0, Start.toLong << 32)
    row
  }

  def isHead(key: UnsafeRow): Boolean = key.getLong(0).toInt == 0

  /** The event time in a key, in µs. */
  def micros(key: UnsafeRow): Long = word(key, 0) ^ Long.MinValue

  /** The arrival that a key stands for. */
  def arrival(key: UnsafeRow): Arrival = new Arrival(micros(key), word(key, 1), word(key, 2))

  private val isLittleEndian = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /** Reads in place, without a copy: this runs for every row in the state. */
  private def word(key: UnsafeRow, i: Int): Long = {
    val word = Platform.getLong(key.getBaseObject, key.getBaseOffset + Start + 8L * i)
    if (isLittleEndian) java.lang.Long.reverseBytes(word) else word
  }
}

/** When a row happened, and when it came. Arrivals sort as the bytes of their keys do. */
private[order] final class Arrival(val micros: Long, val batchId: Long, val number: Long)
    extends Comparable[Arrival] {

  override def compareTo(other: Arrival): Int =
    Arrival.compare(micros, batchId, number, other.micros, other.batchId, other.number)
}

private[order] object Arrival {

  /** Compares two arrivals without making them. */
  def compare(
      micros: Long,
      batchId: Long,
      number: Long,
      otherMicros: Long,
      otherBatchId: Long,
      otherNumber: Long
  ): Int =
    if (micros != otherMicros) java.lang.Long.compare(micros, otherMicros)
    else if (batchId != otherBatchId) java.lang.Long.compare(batchId, otherBatchId)
    else java.lang.Long.compare(number, otherNumber)
}

/**
 * Which rows have left already, although their page is still there.
 *
 * @param upTo
 *   the highest time, in µs
 * @param batchId
 *   the last batch of which rows have left: a row that came later has not, whatever its time
 */
private[order] final case class Taken(upTo: Long, batchId: Long)

/** The earliest time among the rows that wait, as far as a batch comes to know it. */
private[order] final class FirstTime {

  /** In µs; `DueTimes.Never` before any. */
  var micros: Long = DueTimes.Never

  /** Whether this is so for all rows that wait; if not, those of earlier batches are unknown. */
  var isOfAll: Boolean = false

  def see(time: Long): Unit = micros = math.min(micros, time)

  /** From here on every row that waits is seen. */
  def seeAll(): Unit = {
    micros = DueTimes.Never
    isOfAll = true
  }
}

/**
 * How large pages are, and how much of them is in memory at a time.
 *
 * @param rows
 *   the most rows of a page
 * @param bytes
 *   the most bytes of the rows of a page; a larger row has a page of its own
 * @param roundRows
 *   the most rows that are sorted together
 * @param roundBytes
 *   the most bytes of the rows that are sorted together
 * @param open
 *   the most pages that are merged at a time, at least 2
 */
private[order] final case class PageSizes(
    rows: Int = 256,
    bytes: Int = 64 * 1024,
    roundRows: Int = 64 * 1024,
    roundBytes: Int = 16 * 1024 * 1024,
    open: Int = 64
)
