package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.join.JoinStateSchema._
import tidegate.own.rows.StateRowWriter

/** Writes the values of the state of a join; with the column of due keys, which stays NULL. */
private[join] final class JoinRowWriter extends StateRowWriter(OwnColumns + 1) {

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
      chunk.setInt(ChunkNumber, chunks.number(i))
      chunk.setInt(ChunkRows, chunks.rows(i))
      Sides.Both.foreach { isLeft =>
        (0 until ChunkList.TimesOfSide).foreach { t =>
          val (column, micros) = (chunkTimes(isLeft) + t, chunks.time(i, isLeft, t))
          if (micros == ChunkList.Missing(t)) chunk.setNullAt(column)
          else chunk.setLong(column, micros)
        }
      }
    }
}
