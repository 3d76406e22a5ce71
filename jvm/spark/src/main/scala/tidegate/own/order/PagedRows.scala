package tidegate.own.order

import java.util.PriorityQueue

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import tidegate.own.StoredRows

/**
 * The rows of one partition that wait in its state store, during one batch. They are in pages: one
 * row of the state for many rows that follow each other in time.
 *
 * The rows of a batch are sorted in rounds that fit into memory, and cut into pages. Pages are
 * never changed. Where some rows of a page have left, the head of the partition says up to which
 * time; a page is removed when its last row leaves.
 *
 * Rows leave by merging pages that overlap. If too many overlap, because each of many small batches
 * has brought rows of a long time, they are first written anew as pages that do not.
 *
 * @param isSorted
 *   whether the store gives its rows in the order of their keys, as RocksDB does
 * @param fields
 *   the number of columns of a row
 * @param timeOf
 *   the time of a row, in µs
 */
private[order] final class PagedRows(
    store: StoredRows,
    isSorted: Boolean,
    batchId: Long,
    fields: Int,
    timeOf: UnsafeRow => Long,
    sizes: PageSizes,
    updated: SQLMetric,
    removed: SQLMetric
) {
  private val keys = new ArrivalKey(batchId)
  private val round = new RowRound(sizes)
  private val writer = new PageWriter(sizes)
  private val view = new UnsafeRow(fields)

  /** The number of rows that this batch has put into pages. */
  private var arrived = 0L

  private val headBefore = store.get(ArrivalKey.head)

  private val waitingBefore =
    if (headBefore == null) 0L else headBefore.getLong(OrderStateSchema.Waiting)

  private val takenBefore =
    Option(headBefore).filterNot(_.isNullAt(OrderStateSchema.TakenUpTo)).map { head =>
      Taken(head.getLong(OrderStateSchema.TakenUpTo), head.getLong(OrderStateSchema.TakenIn))
    }

  /** The time of the first row that waits when the batch has ended, as far as it is known. */
  val first = new FirstTime

  first.isOfAll = waitingBefore == 0
  private var taken = takenBefore
  private var waiting = waitingBefore

  /** Keeps a row. */
  def put(micros: Long, row: UnsafeRow): Unit = {
    if (!round.fits(row)) endRound()
    round.add(micros, row)
    first.see(micros)
    waiting += 1
    updated += 1
  }

  private def endRound(): Unit = {
    round.drain(view) { micros =>
      if (!writer.fits(view)) writePage()
      writer.add(micros, batchId, arrived, view)
      arrived += 1
    }
    if (!writer.isEmpty) writePage()
  }

  /** Writes the page that is being filled, and returns the arrival of its first row. */
  private def writePage(): Arrival = {
    val first = writer.first
    store.put(keys.of(first), writer.page(), isNew = true)
    first
  }

  /**
   * Removes the rows up to a time, in order: each leaves the state when it is read, and is valid
   * until the next one is read. At most once in a batch, after the last row is put.
   */
  def takeUpTo(micros: Long): Iterator[UnsafeRow] = {
    endRound()
    // Rows that came below a time that was taken must not stay behind it.
    val upTo = takenBefore.fold(micros)(before => math.max(before.upTo, micros))
    taken = Some(Taken(upTo, batchId))
    first.seeAll()
    new Due(upTo)
  }

  /**
   * Ends the batch: after this, the store has what the next batch begins with.
   *
   * @return
   *   the number of rows that wait
   */
  def finish(): Long = {
    endRound()
    if (waiting != waitingBefore || taken != takenBefore) {
      if (waiting > 0)
        store.put(ArrivalKey.head, writer.head(taken, waiting), isNew = headBefore == null)
      else if (headBefore != null)
        store.remove(ArrivalKey.head)
    }
    waiting
  }

  /** The rows up to a time, in order. */
  private final class Due(upTo: Long) extends Iterator[UnsafeRow] {
    private val queue = new PageQueue(store, isSorted, upTo, first)

    /** Pages that are being read. */
    private val open = new PriorityQueue[PageCursor]

    /** The page of the next row, or of the row that was read last; it is not among the others. */
    private var current: PageCursor = _
    private var isRead = true
    private var isAtEnd = false

    override def hasNext: Boolean = {
      if (isRead && !isAtEnd) findNext()
      !isAtEnd
    }

    override def next(): UnsafeRow = {
      if (!hasNext) throw new NoSuchElementException("no row is due")
      isRead = true
      waiting -= 1
      removed += 1
      current.row
    }

    private def findNext(): Unit = {
      if (current != null) leave()
      if (current == null) {
        while (isNextPageFirst) openPage()
        current = open.poll()
      }
      isRead = false
      isAtEnd = current == null || current.micros > upTo
      if (isAtEnd) {
        // The others that are open come after this one.
        if (current != null) first.see(current.micros)
        queue.close()
      }
    }

    /** Goes on from the row that was read. Its page stays the current one if its row is first. */
    private def leave(): Unit = {
      current.next()
      if (current.isAtEnd) {
        remove(current)
        current = null
      } else if (!isFirst(current)) {
        open.add(current)
        current = null
      }
    }

    private def isFirst(page: PageCursor): Boolean = {
      val (other, next) = (open.peek(), queue.first)
      (other == null || page.compareTo(other) < 0) && (next == null || page.isBefore(next))
    }

    /** Whether a page that is not open has a row before all of those that are. */
    private def isNextPageFirst: Boolean = {
      val (page, next) = (open.peek(), queue.first)
      next != null && (page == null || !page.isBefore(next))
    }

    private def openPage(): Unit =
      if (open.size >= sizes.open) straighten()
      else {
        val key = queue.first
        val page = new PageCursor(key, queue.poll(), fields, timeOf, takenBefore)
        if (page.isAtEnd) remove(page) else open.add(page)
        ()
      }

    /** Writes the pages that are open as pages that do not overlap, and closes them. */
    private def straighten(): Unit = {
      open.forEach(remove(_))
      while (!open.isEmpty) {
        val page = open.poll()
        if (!writer.fits(page.row)) queue.add(writePage())
        writer.add(page.micros, page.batchId, page.number, page.row)
        page.next()
        if (!page.isAtEnd) open.add(page)
      }
      queue.add(writePage())
    }

    private def remove(page: PageCursor): Unit =
      store.remove(keys.of(page.key))
  }
}
