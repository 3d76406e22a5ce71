package tidegate.own.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.due._
import tidegate.own.StateRows
import tidegate.own.due.ChunkedKeys

/** Heads and chunks in a map. */
private[join] final class MapJoinStore extends StateRows {
  val all: mutable.Map[UnsafeRow, UnsafeRow] = mutable.Map.empty

  def chunks: Iterable[UnsafeRow] = all.collect { case (key, value) if isChunk(key) => value }

  /** How many bytes chunks have. */
  def held: Long = chunks.map(_.getSizeInBytes.toLong).sum

  /** How many rows were written. */
  var puts: Int = 0

  /** How many bytes of chunks were written. */
  var written: Long = 0

  private def isChunk(key: UnsafeRow): Boolean = !key.isNullAt(ChunkedKeys.Chunk)

  override def get(key: UnsafeRow): UnsafeRow = all.getOrElse(key, null)

  override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
    assert(isNew != all.contains(key), "whether a row is new")
    all(key.copy()) = value.copy()
    puts += 1
    if (isChunk(key)) written += value.getSizeInBytes
  }

  override def remove(key: UnsafeRow): Unit =
    assert(all.remove(key).isDefined, "a row was removed that is not there")

  // A join finds its rows by their keys alone.
  override def rows: Iterator[UnsafeRowPair] = throw new UnsupportedOperationException

  override def findsByPrefix: Boolean = false

  override def withPrefix(prefix: UnsafeRow): Iterator[UnsafeRowPair] = rows

  override def hasPrefix(prefix: UnsafeRow): Boolean = rows.hasNext
}

/** Pages of due keys in a map. */
private[join] final class MapRowPages extends DuePages[UnsafeRow] {
  private val pages = mutable.Map.empty[(DueBucket, Int), Page]
  private var buckets = Seq.empty[DueBucketPages]

  // One for all pages: a key is valid until another one is asked for.
  private var shown: UnsafeRow = _

  override def root(): Seq[DueBucketPages] = buckets

  override def putRoot(to: Seq[DueBucketPages]): Unit = buckets = to

  override def removeRoot(): Unit = buckets = Nil

  override def get(bucket: DueBucket, page: Int): DuePage[UnsafeRow] = pages((bucket, page))

  override def put(bucket: DueBucket, page: Int, entries: DuePageBuffer[UnsafeRow]): Unit =
    pages((bucket, page)) = entries.asInstanceOf[Page]

  override def remove(bucket: DueBucket, page: Int): Unit = pages -= ((bucket, page))

  override def newBuffer(): DuePageBuffer[UnsafeRow] = new Page

  def isEmpty: Boolean = pages.isEmpty

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

    override def isFull: Boolean = entries.size >= 3
  }
}
