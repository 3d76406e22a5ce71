package tidegate.own.windows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.due._

/** Pages of due keys in memory. */
final class MapDueRows extends DuePages[UnsafeRow] {
  private val pages = mutable.Map.empty[(DueBucket, Int), Page]
  private var buckets = Seq.empty[DueBucketPages]

  // One for all pages: a key is valid until another one is asked for.
  private var shown: UnsafeRow = _

  def size: Int = pages.size

  def entries: Int = pages.values.map(_.size).sum

  override def root(): Seq[DueBucketPages] = buckets
  override def putRoot(to: Seq[DueBucketPages]): Unit = buckets = to
  override def removeRoot(): Unit = buckets = Nil
  override def get(bucket: DueBucket, page: Int): DuePage[UnsafeRow] = pages((bucket, page))
  override def put(bucket: DueBucket, page: Int, entries: DuePageBuffer[UnsafeRow]): Unit =
    pages((bucket, page)) = entries.asInstanceOf[Page]
  override def remove(bucket: DueBucket, page: Int): Unit = {
    val _ = pages.remove((bucket, page))
  }
  override def newBuffer(): DuePageBuffer[UnsafeRow] = new Page

  private final class Page extends DuePageBuffer[UnsafeRow] {
    private val entries = mutable.Buffer.empty[(UnsafeRow, Long)]
    override def size: Int = entries.size
    override def due(i: Int): Long = entries(i)._2
    override def key(i: Int): UnsafeRow = {
      val key = entries(i)._1
      if (shown == null) shown = new UnsafeRow(key.numFields)
      shown.pointTo(key.getBytes, key.getSizeInBytes)
      shown
    }
    override def add(key: UnsafeRow, dueMicros: Long): Unit = entries += key.copy() -> dueMicros
    override def isFull: Boolean = entries.size >= 4
  }
}
