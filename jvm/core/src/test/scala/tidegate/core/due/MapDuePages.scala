package tidegate.core.due

import scala.collection.mutable

/**
 * Pages in a map, which outlives the instances of `DueKeys`, and counts what is read and written.
 */
final class MapDuePages(entriesOfPage: Int) extends DuePages[String] {
  import MapDuePages._

  private val pages = mutable.Map.empty[(DueBucket, Int), Vector[(String, Long)]]
  private var buckets = Seq.empty[DueBucketPages]

  var reads = 0
  var writes = 0
  var entriesWritten = 0

  def pageCount: Int = pages.size

  def bucketCount: Int = buckets.size

  override def root(): Seq[DueBucketPages] = {
    reads += 1
    buckets
  }

  override def putRoot(to: Seq[DueBucketPages]): Unit = {
    assert(to.nonEmpty)
    writes += 1
    buckets = to
  }

  override def removeRoot(): Unit = {
    assert(buckets.nonEmpty)
    writes += 1
    buckets = Nil
  }

  override def get(bucket: DueBucket, page: Int): DuePage[String] = {
    reads += 1
    new Page(pages((bucket, page)))
  }

  override def put(bucket: DueBucket, page: Int, entries: DuePageBuffer[String]): Unit = {
    writes += 1
    entriesWritten += entries.size
    pages((bucket, page)) = Vector.tabulate(entries.size)(i => (entries.key(i), entries.due(i)))
  }

  override def remove(bucket: DueBucket, page: Int): Unit = {
    writes += 1
    assert(pages.remove((bucket, page)).isDefined)
  }

  override def newBuffer(): DuePageBuffer[String] = new Buffer(entriesOfPage)
}

object MapDuePages {

  private final class Page(entries: Vector[(String, Long)]) extends DuePage[String] {
    override def size: Int = entries.size
    override def due(i: Int): Long = entries(i)._2
    override def key(i: Int): String = entries(i)._1
  }

  private final class Buffer(capacity: Int) extends DuePageBuffer[String] {
    private val entries = mutable.Buffer.empty[(String, Long)]
    override def size: Int = entries.size
    override def due(i: Int): Long = entries(i)._2
    override def key(i: Int): String = entries(i)._1
    override def add(key: String, dueMicros: Long): Unit = entries += key -> dueMicros
    override def isFull: Boolean = entries.size >= capacity
  }
}
