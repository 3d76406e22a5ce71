package tidegate.own.due

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import tidegate.core.due.DueBucket

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
