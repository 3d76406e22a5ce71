package tidegate.own.asof

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.rows.{RowBytes, StateRowWriter}

/** Writes the values of the state; with the column of due keys, which stays NULL. */
private[asof] final class AsOfRowWriter extends StateRowWriter(AsOfStateSchema.OwnColumns + 1) {
  import AsOfStateSchema._

  /** The row of a head, valid until the next one is written. */
  def head(
      leftDue: Option[Long],
      rightDue: Option[Long],
      chunks: Pair[collection.Seq[Chunk]],
      open: Pair[RowBytes]
  ): UnsafeRow = {
    begin()
    leftDue.foreach(setLong(LeftDue, _))
    rightDue.foreach(setLong(RightDue, _))
    val (ofLeft, all) = (chunks.left.size, chunks.left.size + chunks.right.size)
    if (all > 0) setStructs(Chunks, all, ChunkFields) { (i, struct) =>
      val chunk = if (i < ofLeft) chunks.left(i) else chunks.right(i - ofLeft)
      struct.setBoolean(ChunkIsLeft, i < ofLeft)
      struct.setInt(ChunkNumber, chunk.number)
      struct.setInt(ChunkFirst, chunk.first)
      struct.setInt(ChunkRows, chunk.rows)
      struct.setLong(ChunkFrom, chunk.from)
      struct.setLong(ChunkTo, chunk.to)
    }
    if (open.left.size > 0) setRows(Left, open.left)
    if (open.right.size > 0) setRows(Right, open.right)
    result()
  }

  /** The row of a chunk, valid until the next one is written. */
  def chunk(isLeft: Boolean, rows: RowBytes): UnsafeRow = {
    begin()
    setRows(if (isLeft) Left else Right, rows)
    result()
  }
}
