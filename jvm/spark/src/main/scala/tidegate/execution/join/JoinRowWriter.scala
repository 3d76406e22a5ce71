package tidegate.execution.join

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.execution.join.JoinStateSchema._
import tidegate.execution.rows.ValueWriter

/** Writes the values of the state of a join; with the column of due keys, which stays NULL. */
private[join] final class JoinRowWriter extends ValueWriter(OwnColumns + 1) {

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
    begin()
    leftDue.foreach(setLong(LeftDue, _))
    rightDue.foreach(setLong(RightDue, _))
    if (chunks != null && chunks.size > 0) writeChunks(chunks)
    if (left.size > 0) setRows(Left, left.bytes)
    if (right.size > 0) setRows(Right, right.bytes)
    if (left.isAnyMatched || right.isAnyMatched) writeMatched(left, right)
    result()
  }

  private def writeMatched(left: SideRows, right: SideRows): Unit =
    setBooleans(Matched, left.size + right.size) { i =>
      if (i < left.size) left.isMatched(i) else right.isMatched(i - left.size)
    }

  private def writeChunks(chunks: ChunkList): Unit =
    setStructs(Chunks, chunks.size, ChunkFields) { (i, chunk) =>
      chunk.setInt(0, chunks.number(i))
      writeTimes(chunks, i, chunk, isLeft = true, column = 1)
      writeTimes(chunks, i, chunk, isLeft = false, column = 3)
    }

  private def writeTimes(
      chunks: ChunkList,
      i: Int,
      chunk: UnsafeRow,
      isLeft: Boolean,
      column: Int
  ): Unit =
    if (chunks.has(i, isLeft)) {
      chunk.setLong(column, chunks.from(i, isLeft))
      chunk.setLong(column + 1, chunks.to(i, isLeft))
    } else {
      chunk.setNullAt(column)
      chunk.setNullAt(column + 1)
    }
}
