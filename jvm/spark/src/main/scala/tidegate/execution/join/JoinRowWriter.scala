package tidegate.execution.join

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.execution.join.JoinStateSchema._

/** Writes a value of the state into a buffer that is used again for the next one. */
private[join] final class JoinRowWriter {
  import JoinRowWriter._

  private var bytes = new Array[Byte](4096)
  private var used = 0
  private val row = new UnsafeRow(Columns)

  /**
   * The row of a head or a chunk, valid until the next one is written.
   *
   * @param chunks
   *   of a head; null for a chunk
   */
  def write(
      leftDue: Option[Long],
      rightDue: Option[Long],
      chunks: ChunkList,
      left: SideRows,
      right: SideRows
  ): UnsafeRow = {
    used = 0
    reserve(FixedBytes)
    row.pointTo(bytes, FixedBytes)
    (0 until Columns).foreach(row.setNullAt)
    leftDue.foreach(row.setLong(LeftDue, _))
    rightDue.foreach(row.setLong(RightDue, _))
    if (chunks != null && chunks.size > 0) writeChunks(chunks)
    if (left.size > 0) writeRows(Left, left)
    if (right.size > 0) writeRows(Right, right)
    if (isAnyMatched(left) || isAnyMatched(right)) writeMatched(left, right)
    row.pointTo(bytes, used)
    row
  }

  private def isAnyMatched(rows: SideRows): Boolean = {
    var i = 0
    while (i < rows.size && !rows.isMatched(i)) i += 1
    i < rows.size
  }

  private def writeRows(column: Int, rows: SideRows): Unit = {
    val array = used
    val header = UnsafeArrayData.calculateHeaderPortionInBytes(rows.size)
    beginArray(rows.size, 8 * rows.size)
    val first = used - array
    reserve(rows.byteSize)
    rows.store(bytes, array + first)
    var i = 0
    while (i < rows.size) {
      val place = (first + rows.start(i)).toLong << 32 | rows.sizeOf(i).toLong
      Platform.putLong(bytes, address(array + header + 8 * i), place)
      i += 1
    }
    endArray(column, array)
  }

  private def writeMatched(left: SideRows, right: SideRows): Unit = {
    val array = used
    val size = left.size + right.size
    val first = array + UnsafeArrayData.calculateHeaderPortionInBytes(size)
    beginArray(size, (size + 7) / 8 * 8)
    (0 until size).foreach { i =>
      val is = if (i < left.size) left.isMatched(i) else right.isMatched(i - left.size)
      Platform.putBoolean(bytes, address(first + i), is)
    }
    endArray(Matched, array)
  }

  private def writeChunks(chunks: ChunkList): Unit = {
    val array = used
    val header = UnsafeArrayData.calculateHeaderPortionInBytes(chunks.size)
    beginArray(chunks.size, (8 + ChunkBytes) * chunks.size)
    val chunk = new UnsafeRow(ChunkFields)
    (0 until chunks.size).foreach { i =>
      val at = header + 8 * chunks.size + ChunkBytes * i
      val place = at.toLong << 32 | ChunkBytes.toLong
      Platform.putLong(bytes, address(array + header + 8 * i), place)
      chunk.pointTo(bytes, address(array + at), ChunkBytes)
      chunk.setInt(0, chunks.number(i))
      Seq(true, false).foreach { isLeft =>
        val column = if (isLeft) 1 else 3
        if (chunks.has(i, isLeft)) {
          chunk.setLong(column, chunks.from(i, isLeft))
          chunk.setLong(column + 1, chunks.to(i, isLeft))
        } else {
          chunk.setNullAt(column)
          chunk.setNullAt(column + 1)
        }
      }
    }
    endArray(Chunks, array)
  }

  private def beginArray(size: Int, elementBytes: Int): Unit = {
    val array = used
    reserve(UnsafeArrayData.calculateHeaderPortionInBytes(size) + elementBytes)
    Platform.putLong(bytes, address(array), size.toLong)
  }

  private def endArray(column: Int, array: Int): Unit = {
    row.pointTo(bytes, FixedBytes)
    row.setLong(column, array.toLong << 32 | (used - array).toLong)
  }

  /** Takes `n` more bytes, all of them 0. */
  private def reserve(n: Int): Unit = {
    val from = used
    used = Math.addExact(used, n)
    if (used > bytes.length)
      bytes = Arrays.copyOf(bytes, math.min(Int.MaxValue - 15L, 2L * used).toInt)
    Arrays.fill(bytes, from, used, 0.toByte)
  }
}

private object JoinRowWriter {

  /** With the column of due keys. */
  private val Columns = OwnColumns + 1

  private val FixedBytes = 8 + 8 * Columns

  private val ChunkBytes = 8 + 8 * ChunkFields

  private def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
