package tidegate.functions

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows one after the other, each with its size before it. */
private[functions] object RowBytes {

  def of(rows: Iterable[UnsafeRow]): Array[Byte] = {
    val out = ByteBuffer.allocate(rows.iterator.map(Integer.BYTES + _.getSizeInBytes).sum)
    rows.foreach(row => out.putInt(row.getSizeInBytes).put(row.getBytes))
    out.array
  }

  def rows(bytes: Array[Byte], columns: Int): Iterator[UnsafeRow] = {
    val in = ByteBuffer.wrap(bytes)
    Iterator.continually(in).takeWhile(_.hasRemaining).map { _ =>
      val row = new Array[Byte](in.getInt())
      in.get(row)
      val read = new UnsafeRow(columns)
      read.pointTo(row, row.length)
      read
    }
  }
}
