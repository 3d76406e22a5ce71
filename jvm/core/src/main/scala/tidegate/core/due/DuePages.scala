package tidegate.core.due

/** Entries in memory or in a row: each is a key, and the time at which the key is due. */
trait DuePage[K] {

  def size: Int

  /** In µs. */
  def due(i: Int): Long

  /** Valid until a key of any page is asked for. */
  def key(i: Int): K
}

/** A page that is being written. */
trait DuePageBuffer[K] extends DuePage[K] {

  /** Copies the key. */
  def add(key: K, dueMicros: Long): Unit

  /** Whether the page should be written before another entry is added: by its bytes. */
  def isFull: Boolean
}

/** The rows in which due keys are kept: pages of entries by bucket and number, and one root. */
trait DuePages[K] {

  /** The buckets that have pages; empty if there is no root. */
  def root(): Seq[DueBucketPages]

  def putRoot(buckets: Seq[DueBucketPages]): Unit

  def removeRoot(): Unit

  /** A page that was put; valid until it is dropped, whatever is put or removed meanwhile. */
  def get(bucket: DueBucket, page: Int): DuePage[K]

  def put(bucket: DueBucket, page: Int, entries: DuePageBuffer[K]): Unit

  def remove(bucket: DueBucket, page: Int): Unit

  def newBuffer(): DuePageBuffer[K]
}

/**
 * What the root knows of a bucket.
 *
 * @param first
 *   the number of its first page
 * @param next
 *   the number of the page after its last one
 * @param isLastSmall
 *   whether its last page is so small that it is written again with more entries
 * @param earliest
 *   in µs, the time of the entry that is due first
 */
final case class DueBucketPages(
    bucket: DueBucket,
    first: Int,
    next: Int,
    isLastSmall: Boolean,
    earliest: Long
)
