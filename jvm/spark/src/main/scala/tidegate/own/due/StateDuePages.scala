package tidegate.own.due

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.Platform
import tidegate.core.due._
import tidegate.own.{RowCount, StateRows, ToStateRow}

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
final class StateDuePages(store: StateRows, key: StructType, value: StructType, line: Int = 0)
    extends DuePages[UnsafeRow] {
  private val keys = new PageKeys(key, line)
  private lazy val toRow = new ToStateRow(value)
  private lazy val toKey = UnsafeProjection.create(key)

  override def root(): Seq[DueBucketPages] = {
    val row = store.get(keys.root)
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
    store.put(key, toRow(row), isNew = false)
  }

  override def removeRoot(): Unit = store.remove(keys.root)

  override def get(bucket: DueBucket, page: Int): DuePage[UnsafeRow] = {
    val row = store.get(keys.page(bucket, page))
    // A store may fill the same row again.
    val due = row.copy().getStruct(value.size - 1, 2)
    // The times are in the place of the last column of a key.
    new PageRow(due.getStruct(0, key.size), key, toKey)
  }

  override def put(bucket: DueBucket, page: Int, entries: DuePageBuffer[UnsafeRow]): Unit =
    put(keys.page(bucket, page), InternalRow(entries.asInstanceOf[PageBuffer].columns, null))

  override def remove(bucket: DueBucket, page: Int): Unit =
    store.remove(keys.page(bucket, page))

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
  def count(store: StateRows, key: StructType, value: StructType, column: Int): RowCount =
    new RowCount(store, new PageKeys(key, PageKeys.OfCount).root, value, column, !isPage(_))

  /** Whether a key of the store is not the operator's, but belongs to its due keys. */
  def isPage(key: UnsafeRow): Boolean = !key.isNullAt(key.numFields - 1)
}

/**
 * A page in memory: its keys, one after the other, and their times.
 *
 * @param schema
 *   the key of all rows of the store; the last column is `due_page`
 */
private[due] final class PageBuffer(schema: StructType) extends DuePageBuffer[UnsafeRow] {
  private var keys = new Array[Byte](1024)
  private var used = 0
  private var starts = new Array[Int](16)
  private var times = new Array[Long](16)
  private var count = 0
  private val view = new UnsafeRow(schema.size)

  override def size: Int = count

  override def isFull: Boolean = used >= PageBuffer.FullBytes

  override def due(i: Int): Long = times(i)

  override def key(i: Int): UnsafeRow = {
    val end = if (i + 1 < count) starts(i + 1) else used
    view.pointTo(keys, Platform.BYTE_ARRAY_OFFSET.toLong + starts(i), end - starts(i))
    view
  }

  override def add(key: UnsafeRow, dueMicros: Long): Unit = {
    val at = used
    used = Math.addExact(used, key.getSizeInBytes)
    if (used > keys.length) keys = Arrays.copyOf(keys, math.max(used, 2 * used))
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count)
      times = Arrays.copyOf(times, 2 * count)
    }
    starts(count) = at
    times(count) = dueMicros
    count += 1
    key.writeToMemory(keys, Platform.BYTE_ARRAY_OFFSET.toLong + at)
  }

  /**
   * The `entries` of the page: an array for each column of the keys but the last, and the times.
   */
  def columns: InternalRow = {
    val ofKeys = schema.init.zipWithIndex.map { case (column, c) =>
      new GenericArrayData(Array.tabulate[Any](count)(i => key(i).get(c, column.dataType)))
    }
    InternalRow.fromSeq(ofKeys :+ new GenericArrayData(times.take(count)))
  }
}

private[due] object PageBuffer {

  /** A page with more bytes of keys takes no more entries. */
  private val FullBytes: Int = 16 * 1024
}

/**
 * The keys of pages and of their root. A key is valid until the next call.
 *
 * @param line
 *   which of two lines of due keys the pages are of, 0 or 1; the second one has negative numbers of
 *   pages. Or [[PageKeys.OfCount]], which has no pages: its root is the row that counts the keys
 */
private[due] final class PageKeys(key: StructType, line: Int) {
  private val place = key.size - 1
  private val pageKey = create(InternalRow(0, 0L, 0))
  private val placeInKey = pageKey.getStruct(place, DueSchema.Place.size)

  val root: UnsafeRow = create(InternalRow(null, null, if (line == 0) null else -line))

  def page(bucket: DueBucket, page: Int): UnsafeRow = {
    placeInKey.setInt(0, bucket.bits)
    placeInKey.setLong(1, bucket.start)
    placeInKey.setInt(2, if (line == 0) page else -1 - page)
    pageKey
  }

  private def create(at: InternalRow): UnsafeRow =
    UnsafeProjection.create(key).apply(InternalRow.fromSeq(Seq.fill(place)(null) :+ at)).copy()
}

private[due] object PageKeys {

  /** After the two lines of due keys. */
  val OfCount = 2
}

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
