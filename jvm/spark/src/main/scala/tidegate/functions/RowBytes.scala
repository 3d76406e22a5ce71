package tidegate.functions

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.errors.CheckpointErrors

/**
 * Rows as bytes, for the state of an aggregate: a mark of what they mean, and then one after the
 * other, each with its size before it. Spark's state has no schema for them, so a query with other
 * columns would read them as something else.
 *
 * @param function
 *   the name of the aggregate
 * @param meaning
 *   what the rows mean, in words
 */
private[functions] final class RowBytes(function: String, meaning: String, columns: Int) {
  private val mark = s"$function of $meaning".hashCode

  def of(rows: Iterable[UnsafeRow]): Array[Byte] = {
    val sizes = rows.iterator.map(Integer.BYTES + _.getSizeInBytes).sum
    val out = ByteBuffer.allocate(Integer.BYTES + sizes).putInt(mark)
    rows.foreach(row => out.putInt(row.getSizeInBytes).put(row.getBytes))
    out.array
  }

  /**
   * @throws AnalysisException
   *   if the rows mean something else
   */
  def rows(bytes: Array[Byte]): Iterator[UnsafeRow] = {
    val in = ByteBuffer.wrap(bytes)
    if (in.getInt() != mark) throw CheckpointErrors.valuesRefused(function, meaning)
    Iterator.continually(in).takeWhile(_.hasRemaining).map { _ =>
      val row = new Array[Byte](in.getInt())
      in.get(row)
      val read = new UnsafeRow(columns)
      read.pointTo(row, row.length)
      read
    }
  }
}
