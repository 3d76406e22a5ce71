package tidegate.own.due

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import tidegate.core.due.DuePage

/**
 * A page as the store returned it, read in place.
 *
 * @param entries
 *   as [[PageBuffer.columns]] made them
 * @param schema
 *   the key of all rows of the store; the last column is `due_page`
 * @param toKey
 *   makes a row of the store's key; what it returns may be filled again
 */
private[due] final class PageRow(
    entries: UnsafeRow,
    schema: StructType,
    toKey: UnsafeProjection
) extends DuePage[UnsafeRow] {
  private val types = schema.init.map(_.dataType).toArray
  private val columns = types.indices.map(entries.getArray).toArray
  private val times = entries.getArray(types.length)
  private val values = new GenericInternalRow(schema.size)

  override def size: Int = times.numElements

  override def due(i: Int): Long = times.getLong(i)

  override def key(i: Int): UnsafeRow = {
    var c = 0
    while (c < types.length) {
      values.update(c, if (columns(c).isNullAt(i)) null else columns(c).get(i, types(c)))
      c += 1
    }
    toKey(values)
  }
}
