package tidegate.own.due

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types.StructType
import tidegate.core.due._
import tidegate.own.{RowCount, ToStateRow}

/**
 * The pages of due keys in the store of their operator: gets, puts and removes, so that they need
 * no more of a store than each has.
 *
 * @param key
 *   the key of all rows of the store ([[DueSchema.key]])
 * @param value
 *   the value of all rows of the store ([[DueSchema.value]])
 * @param line
 *   0, or 1 for more due keys in the same store, whose times follow another watermark
 */
final class StateDuePages(store: StateStore, key: StructType, value: StructType, line: Int = 0)
    extends DuePages[UnsafeRow] {
  private val keys = new PageKeys(key, line)
  private lazy val toRow = new ToStateRow(value)
  private lazy val toKey = UnsafeProjection.create(key)

  override def root(): Seq[DueBucketPages] = {
    val row = store.get(keys.root, StateStore.DEFAULT_COL_FAMILY_NAME)
    if (row == null) Nil
    else {
      val buckets = row.getStruct(value.size - 1, 2).getArray(1)
      (0 until buckets.numElements).map { i =>
        val b = buckets.getStruct(i, DueSchema.Bucket.size)
        DueBucketPages(
          DueBucket(b.getInt(0), b.getLong(1)),
          first = b.getInt(2),
          next = b.getInt(3),
          isLastSmall = b.getBoolean(4),
          earliest = b.getLong(5)
        )
      }
    }
  }

  override def putRoot(buckets: Seq[DueBucketPages]): Unit = {
    val rows = buckets.map { b =>
      InternalRow(b.bucket.bits, b.bucket.start, b.first, b.next, b.isLastSmall, b.earliest)
    }
    put(keys.root, InternalRow(null, new GenericArrayData(rows.toArray[Any])))
  }

  private def put(key: UnsafeRow, due: InternalRow): Unit = {
    val row = InternalRow.fromSeq(Seq.fill(value.size - 1)(null) :+ due)
    store.put(key, toRow(row), StateStore.DEFAULT_COL_FAMILY_NAME)
  }

  override def removeRoot(): Unit = store.remove(keys.root, StateStore.DEFAULT_COL_FAMILY_NAME)

  override def get(bucket: DueBucket, page: Int): DuePage[UnsafeRow] = {
    val row = store.get(keys.page(bucket, page), StateStore.DEFAULT_COL_FAMILY_NAME)
    // A store may fill the same row again.
    val due = row.copy().getStruct(value.size - 1, 2)
    // The times are in the place of the last column of a key.
    new PageRow(due.getStruct(0, key.size), key, toKey)
  }

  override def put(bucket: DueBucket, page: Int, entries: DuePageBuffer[UnsafeRow]): Unit =
    put(keys.page(bucket, page), InternalRow(entries.asInstanceOf[PageBuffer].columns, null))

  override def remove(bucket: DueBucket, page: Int): Unit =
    store.remove(keys.page(bucket, page), StateStore.DEFAULT_COL_FAMILY_NAME)

  override def newBuffer(): DuePageBuffer[UnsafeRow] = new PageBuffer(key)
}

object StateDuePages {

  /**
   * The number of rows of an operator, without pages and roots.
   *
   * @param key
   *   as for a page
   * @param value
   *   as for a page
   * @param column
   *   the column of `value` that has the number
   */
  def count(store: StateStore, key: StructType, value: StructType, column: Int): RowCount =
    new RowCount(store, new PageKeys(key, PageKeys.OfCount).root, value, column, !isPage(_))

  /** Whether a key of the store is not the operator's, but belongs to its due keys. */
  def isPage(key: UnsafeRow): Boolean = !key.isNullAt(key.numFields - 1)
}
