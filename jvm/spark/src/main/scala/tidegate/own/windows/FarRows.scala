package tidegate.own.windows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.Saturating
import tidegate.core.due.DueBucket
import tidegate.core.window.{FrameCursor, FrameGrid}
import tidegate.own.StateRows
import tidegate.own.aggregates.FrameStore
import tidegate.statistics.DueTimes

/**
 * Rows of keys that have no window for a while. Such a row is in a [[DueBucket]] by the end of its
 * first window, and the number in its key is that of the bucket. The ''root'' lists the buckets
 * that have rows, each with the first end in it. When this end is due, the bucket is opened: its
 * rows leave the state, and the batch takes their frames like those that have just come.
 *
 * A key may have far rows in several buckets. Two buckets may share a number by chance; a row is in
 * the one that has the end of its first window.
 *
 * @param rootKey
 *   the key of the root
 * @param newFrames
 *   makes the frames of a row of the state
 * @param until
 *   the end of the last window that is due
 */
private[own] final class FarRows(
    store: StateRows,
    grid: FrameGrid,
    rootKey: UnsafeRow,
    newFrames: () => KeyFrames,
    until: Long
) {
  import FarRows._

  /**
   * The bits of the narrowest buckets. A key is looked at for as many ends as its windows have
   * frames; a few looks before them cost little, and fewer buckets are fewer rows.
   */
  private val narrowest = DueBucket.bitsFor(math.max(grid.slide, grid.size / 16))

  private lazy val frames = newFrames()

  // The first end in each bucket.
  private val buckets = mutable.Map.empty[DueBucket, Long]
  private val hadRoot = store.findsByPrefix && {
    val root = store.get(rootKey)
    if (root != null) buckets ++= frames.listed(root)
    root != null
  }
  private val numbersBefore = buckets.keysIterator.map(numberOf).toSet

  /** The buckets that are opened in this batch. */
  private val due = buckets.collect { case (bucket, first) if first <= until => bucket }.toSeq
  private val dueNumbers = due.map(numberOf).toSet
  buckets --= due
  private var isChanged = due.nonEmpty

  /**
   * The time from which buckets are seen. As long as there is no watermark, this is the end of the
   * first row.
   */
  private var now = until
  private var hasNow = !FrameRow.isNone(until)

  /**
   * The number of the bucket of rows whose first window ends at `end`; `Near` if this is not far
   * ahead.
   */
  def numberFor(end: Long): Int =
    if (!store.findsByPrefix) Near
    else {
      if (!hasNow) {
        hasNow = true
        now = end
      }
      if (Saturating.subtract(end, now) / grid.slide <= NearEnds) Near
      else {
        val bucket = bucketOf(end)
        val number = numberOf(bucket)
        // A bucket that is open takes no rows, nor does one that shares its number.
        if (bucket.start <= now || dueNumbers.contains(number)) Near else number
      }
    }

  /**
   * The bucket of an end that is far ahead: the further, the wider, up to a 32nd of the distance.
   * So a bucket moves few rows at once when it is opened, and a row moves a few times at most.
   */
  private def bucketOf(end: Long): DueBucket = {
    val more = DueBucket.bitsFor(Saturating.subtract(end, now)) - FineBits - narrowest
    val steps = math.max(0, (more + StepBits - 1) / StepBits)
    DueBucket.holding(end, narrowest + StepBits * steps)
  }

  /** Whether the state may have had rows with a number when the batch began. */
  def mayHave(number: Int): Boolean = numbersBefore.contains(number)

  /** Notes that there is a far row whose first window ends at `end`. */
  def add(end: Long): Unit = {
    val bucket = bucketOf(end)
    if (buckets.get(bucket).forall(end < _)) {
      buckets(bucket) = end
      isChanged = true
    }
  }

  /**
   * Removes the rows of all buckets that are due: keys, and their frames until the next key. A row
   * with chunks becomes the head of its key, if the key has none, and its frames stay where they
   * are.
   */
  def open(): Iterator[(UnsafeRow, FrameCursor)] = if (due.isEmpty) Iterator.empty
  else {
    val taken = dueRows.map { case (key, row) =>
      frames.removeChunks()
      frames.begin(key, row)
      frames.seek(Long.MinValue)
      store.remove(key)
      (key, frames)
    }
    taken ++ {
      frames.removeChunks()
      Iterator.empty
    }
  }

  /**
   * The store reads all rows into the same object, so a row is copied at once: the filter takes it
   * when it looks for the next one.
   */
  private def dueRows: Iterator[(UnsafeRow, UnsafeRow)] =
    due.sortBy(_.start).iterator.flatMap { bucket =>
      store
        .withPrefix(FrameStore.prefix(numberOf(bucket)))
        .map(row => (row.key.copy(), row.value.copy()))
        .filter { case (_, row) => bucket.has(grid.firstEndOver(frames.first(row))) }
        .filterNot { case (key, row) => frames.chunkIds(row).nonEmpty && becomesHead(key, row) }
    }

  private def becomesHead(key: UnsafeRow, row: UnsafeRow): Boolean = {
    val headKey = FrameStore.headKey(key)
    val isFree = store.get(headKey) == null
    if (isFree) {
      store.put(headKey, row, isNew = true)
      store.remove(key)
    }
    isFree
  }

  /** The first end in all buckets; it may be too early. `DueTimes.Never` if there is none. */
  def earliest: Long = buckets.valuesIterator.minOption.getOrElse(DueTimes.Never)

  /** Writes the root if it has changed. */
  def flush(): Unit = if (isChanged) {
    if (buckets.nonEmpty)
      store.put(rootKey, frames.listing(buckets.toSeq.sortBy(_._2)), isNew = !hadRoot)
    else if (hadRoot) store.remove(rootKey)
  }
}

private[own] object FarRows {

  /** No number of a bucket. */
  val Near = 0

  /** How many ends ahead are near: to write a row twice costs more than a few looks at it. */
  private val NearEnds = 8L

  /** The way to a bucket is at least `2^(FineBits - StepBits)` times as long as the bucket. */
  private val FineBits = 8

  /** A bucket is `2^StepBits` times as wide as a narrower one. */
  private val StepBits = 3

  def numberOf(bucket: DueBucket): Int = FrameGrid.numberOf(bucket.bits, bucket.start)
}
