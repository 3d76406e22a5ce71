package tidegate.own.aggregates

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.own.StateRows

/**
 * Frames in memory. Rows are copied in and out, and all that are read are in the same object, as in
 * RocksDB: an iterator fills it when it is asked whether there is a next row.
 *
 * @param findsByPrefix
 *   whether rows are found by the first column of their keys
 */
final class MapFrameStore(override val findsByPrefix: Boolean = true) extends StateRows {
  private val rowsByKey = mutable.LinkedHashMap.empty[UnsafeRow, UnsafeRow]

  private var read = new UnsafeRow(0)

  var gets = 0
  var puts = 0

  /** How often all heads, or all rows, were asked for. */
  var walks = 0

  /** How many heads a walk has shown. */
  var shown = 0

  override def get(key: UnsafeRow): UnsafeRow = {
    gets += 1
    rowsByKey.get(key).map(shared).orNull
  }

  private def shared(row: UnsafeRow): UnsafeRow = {
    if (read.numFields != row.numFields) read = new UnsafeRow(row.numFields)
    read.pointTo(row.getBytes, row.getSizeInBytes)
    read
  }

  override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
    puts += 1
    require(
      isNew != rowsByKey.contains(key),
      s"a row that is ${if (isNew) "there" else "not there"}"
    )
    rowsByKey(key.copy()) = value.copy()
  }

  override def remove(key: UnsafeRow): Unit = {
    require(rowsByKey.remove(key).isDefined, "a row that is not there")
  }

  override def rows: Iterator[UnsafeRowPair] = walk(_ => true).map(noted)

  override def withPrefix(prefix: UnsafeRow): Iterator[UnsafeRowPair] = {
    require(findsByPrefix)
    if (FrameStore.isHead(prefix)) walk(FrameStore.isHead).map(noted)
    else {
      val number = FrameStore.numberOf(prefix)
      found(key => !FrameStore.isHead(key) && FrameStore.numberOf(key) == number)
    }
  }

  override def hasPrefix(prefix: UnsafeRow): Boolean = withPrefix(prefix).hasNext

  private def noted(row: UnsafeRowPair): UnsafeRowPair = {
    if (FrameStore.isHead(row.key)) shown += 1
    row
  }

  private def walk(shows: UnsafeRow => Boolean) = {
    walks += 1
    found(shows)
  }

  private def found(shows: UnsafeRow => Boolean): Iterator[UnsafeRowPair] =
    new Iterator[UnsafeRowPair] {
      private val all = rowsByKey.toVector.iterator.filter { case (key, _) => shows(key) }
      private var row = Option.empty[UnsafeRowPair]

      override def hasNext: Boolean = {
        if (row.isEmpty)
          row = all.nextOption().map { case (key, value) =>
            new UnsafeRowPair(key.copy(), shared(value))
          }
        row.nonEmpty
      }

      override def next(): UnsafeRowPair = {
        if (!hasNext) throw new NoSuchElementException
        val found = row.get
        row = None
        found
      }
    }

  def size: Int = rowsByKey.size

  /** Every row by its key. */
  def all: Map[UnsafeRow, UnsafeRow] = rowsByKey.toMap
}
