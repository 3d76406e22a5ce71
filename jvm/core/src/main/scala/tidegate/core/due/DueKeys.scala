package tidegate.core.due

import java.util.HashMap

import scala.jdk.CollectionConverters._

/**
 * Finds the keys whose time has come, without a walk over all keys: a timing wheel in pages.
 *
 *   - Keys that are due far away are together in a wide bucket. When the first of them is due, the
 *     bucket is opened: what is due leaves, the rest goes to narrower buckets. So each entry is
 *     written a few times at most, whatever the limit does; a limit that jumps by centuries opens
 *     only the buckets that exist.
 *   - An entry may be stale: its owner looks at the row of the key, and ignores the entry or adds
 *     the key again with its true time. Entries cannot be removed. A key may have several.
 *   - What was added is written by `flush`. A batch that adds nothing and takes nothing reads and
 *     writes nothing.
 *   - In memory are at most one page for each bucket, and the root.
 *
 * One instance is for one batch and one partition.
 *
 * @param now
 *   in µs, the limit before the batch: buckets near to this time are narrow. Another value gives
 *   the same entries, only at another cost
 */
final class DueKeys[K](pages: DuePages[K], now: Long) {
  import DueKeys._

  private val buckets = new HashMap[DueBucket, Live]
  private val entry = new DueEntry[K]
  private var isRead = false
  private var isChanged = false
  private var hadRoot = false
  private var taking: Iterator[DueEntry[K]] = Iterator.empty
  private var limit = now
  private var last: Live = _

  /** Notes that a key is due at a time. */
  def add(key: K, dueMicros: Long): Unit = {
    val bucket = DueBucket.of(dueMicros, limit)
    if (last == null || last.id != bucket) {
      read()
      last = buckets.computeIfAbsent(bucket, new Live(_, 0))
    }
    addTo(last, key, dueMicros)
  }

  /**
   * Removes the entries that are due at or before a time, in no order. An entry is valid until the
   * iterator is asked again. Meanwhile keys may be added; if they are due as well, the next call
   * returns them. The iterator must be exhausted before the next call, and before `flush`.
   */
  def takeUpTo(micros: Long): Iterator[DueEntry[K]] = {
    checkTaken()
    read()
    limit = math.max(limit, micros)
    last = null
    val due = buckets.values.asScala.filter(b => b.hasEntries && b.earliest <= micros).toArray
    // Their successors number their pages after those that are still to be read.
    due.foreach(old => buckets.put(old.id, new Live(old.id, old.next)))
    taking = due.sortBy(_.earliest).iterator.flatMap(open(_, micros))
    taking
  }

  /** Writes what was added; if nothing has changed, nothing is written. */
  def flush(): Unit = {
    checkTaken()
    val live = buckets.values.asScala.toArray.sortBy(b => (b.id.start, b.id.bits))
    live.foreach(append)
    if (isChanged) putRoot(live.filter(_.hasEntries))
    isChanged = false
  }

  /** The number of rows in the state that belong to due keys, after `flush`. */
  def rows: Long = {
    read()
    val inBuckets = buckets.values.asScala.map(_.pageCount.toLong).sum
    if (inBuckets == 0) 0 else inBuckets + 1
  }

  /** In µs, the earliest time of an entry, after `flush`; `Long.MaxValue` if there is none. */
  def earliest: Long = {
    read()
    buckets.values.asScala.foldLeft(Long.MaxValue) { (first, b) =>
      if (b.hasEntries) math.min(first, b.earliest) else first
    }
  }

  private def checkTaken(): Unit =
    if (taking.hasNext) throw new IllegalStateException("not all entries that are due were taken")

  private def read(): Unit = if (!isRead) {
    isRead = true
    pages.root().foreach { b =>
      hadRoot = true
      val live = new Live(b.bucket, b.first)
      live.next = b.next
      live.isLastSmall = b.isLastSmall
      live.earliest = b.earliest
      buckets.put(b.bucket, live)
    }
  }

  private def addTo(bucket: Live, key: K, dueMicros: Long): Unit = {
    if (bucket.buffer != null && bucket.buffer.isFull) write(bucket)
    if (bucket.buffer == null) bucket.buffer = pages.newBuffer()
    bucket.buffer.add(key, dueMicros)
    bucket.earliest = math.min(bucket.earliest, dueMicros)
  }

  /** The entries of a bucket that are due. The others are added again. */
  private def open(old: Live, micros: Long): Iterator[DueEntry[K]] = {
    val inMemory = Option.when[DuePage[K]](old.buffer != null && old.buffer.size > 0)(old.buffer)
    // Few entries stay together: one page is cheaper to read again than many are to write.
    val staysAs = Option.when(old.pageCount + inMemory.size == 1)(buckets.get(old.id))
    val stored = (old.first until old.next).iterator.map { number =>
      val page = pages.get(old.id, number)
      pages.remove(old.id, number)
      isChanged = true
      page
    }
    (stored ++ inMemory).flatMap(new Due(_, micros, staysAs))
  }

  private def append(bucket: Live): Unit = if (bucket.buffer != null && bucket.buffer.size > 0) {
    if (bucket.pageCount > 0 && bucket.isLastSmall) {
      val page = pages.get(bucket.id, bucket.next - 1)
      (0 until page.size).foreach(i => bucket.buffer.add(page.key(i), page.due(i)))
      bucket.next -= 1
    }
    write(bucket)
  }

  private def write(bucket: Live): Unit = {
    val buffer = bucket.buffer
    pages.put(bucket.id, bucket.next, buffer)
    bucket.next += 1
    bucket.isLastSmall = buffer.size < SmallPage && !buffer.isFull
    bucket.buffer = null
    isChanged = true
  }

  private def putRoot(live: Array[Live]): Unit =
    if (live.nonEmpty) {
      pages.putRoot(live.toSeq.map(_.pages))
      hadRoot = true
    } else if (hadRoot) {
      pages.removeRoot()
      hadRoot = false
    }

  /** A bucket as it is in this batch: its pages in the state, and the page that is being filled. */
  private final class Live(val id: DueBucket, val first: Int) {
    var next: Int = first
    var isLastSmall = false
    var earliest: Long = Long.MaxValue
    var buffer: DuePageBuffer[K] = _

    def pageCount: Int = next - first

    def hasEntries: Boolean = pageCount > 0 || buffer != null

    def pages: DueBucketPages = DueBucketPages(id, first, next, isLastSmall, earliest)
  }

  private final class Due(page: DuePage[K], micros: Long, staysAs: Option[Live])
      extends Iterator[DueEntry[K]] {
    private var i = 0

    override def hasNext: Boolean = {
      while (i < page.size && page.due(i) > micros) {
        staysAs match {
          case Some(bucket) => addTo(bucket, page.key(i), page.due(i))
          case None         => add(page.key(i), page.due(i))
        }
        i += 1
      }
      i < page.size
    }

    override def next(): DueEntry[K] = {
      if (!hasNext) throw new NoSuchElementException("no entry is left that is due")
      entry.key = page.key(i)
      entry.due = page.due(i)
      i += 1
      entry
    }
  }
}

private object DueKeys {

  /** A page with fewer entries is read and written again with those of the next batch. */
  val SmallPage = 32
}

/** A key that is due. The iterator that returns it fills the same object again. */
final class DueEntry[K] {

  /** Valid until the iterator is asked again. */
  var key: K = _

  /** In µs, the time for which the key was added. */
  var due: Long = 0L
}
