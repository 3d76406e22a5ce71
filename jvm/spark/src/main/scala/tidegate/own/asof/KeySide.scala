package tidegate.own.asof

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.Saturating
import tidegate.own.StateRows
import tidegate.own.due.ChunkedKeys
import tidegate.own.rows.RowArray

/**
 * The rows of one side of a key: open ones in memory, which the head of the key has, and chunks
 * that do not overlap, in the order of time. Used again for other keys.
 *
 * @param fields
 *   the number of columns of a row
 * @param time
 *   the place of the time among them
 * @param ofOneTime
 *   the order of rows of one time, of which only the last one counts; null if all of them do
 */
private[asof] final class KeySide(
    store: StateRows,
    writer: AsOfRowWriter,
    fields: Int,
    time: Int,
    isLeft: Boolean,
    ofOneTime: TimedRows.Ties,
    sizes: AsOfSizes
) {
  import AsOfStateSchema._

  /** The rows that are in no chunk. They are in their order after `sort`. */
  val open = new TimedRows

  val chunks: ArrayBuffer[Chunk] = ArrayBuffer.empty

  private val row = new UnsafeRow(fields)
  private val array = new RowArray
  private val merged = new TimedRows
  private val piece = new TimedRows
  private val read = new TimedRows
  private var readNumber = -1
  private var key: UnsafeRow = _
  private val column = if (isLeft) Left else Right

  def isEmpty: Boolean = open.size == 0 && chunks.isEmpty

  /** Begins with a key that has nothing yet. */
  def begin(headKey: UnsafeRow): Unit = {
    key = headKey
    readNumber = -1
    open.clear()
    chunks.clear()
  }

  /** Takes over the rows of a head. */
  def read(head: UnsafeRow): Unit = {
    if (!head.isNullAt(column)) {
      array.pointTo(head, column)
      open.addAll(array, 0, time, row)
    }
    if (!head.isNullAt(Chunks)) {
      val all = head.getArray(Chunks)
      (0 until all.numElements).foreach { i =>
        val c = all.getStruct(i, ChunkFields)
        if (c.getBoolean(ChunkIsLeft) == isLeft)
          chunks += new Chunk(
            c.getInt(ChunkNumber),
            c.getInt(ChunkFirst),
            c.getInt(ChunkRows),
            c.getLong(ChunkFrom),
            c.getLong(ChunkTo)
          )
      }
    }
  }

  def add(added: UnsafeRow, timeMicros: Long): Unit = {
    open.add(added, timeMicros)
    // Many rows of one key come in one batch.
    if (open.size >= sizes.rowsAtOnce || open.byteSize >= sizes.bytesAtOnce) seal()
  }

  /** Brings the open rows into their order. */
  def sort(): Unit = open.sort(ofOneTime)

  /**
   * The earliest time; [[Long.MaxValue]] if there are no rows. The open rows are in their order.
   */
  def earliest: Long = {
    val ofOpen = if (open.size > 0) open.time(0) else Long.MaxValue
    if (chunks.isEmpty) ofOpen else math.min(ofOpen, chunks.head.from)
  }

  /**
   * Moves rows at or before a time to others: as many as may be in memory at once, so that there
   * may be more of them. The open rows are in their order.
   */
  def takeUpTo(limit: Long, to: TimedRows): Unit = {
    def isFull = to.size >= sizes.rowsAtOnce || to.byteSize >= sizes.bytesAtOnce
    val n = open.lastUpTo(limit) + 1
    (0 until n).foreach(to.add(open, _))
    open.removeFirst(n)
    while (chunks.nonEmpty && chunks.head.from <= limit && !isFull) {
      val chunk = chunks.head
      load(chunk)
      val until = read.lastUpTo(limit) + 1
      (0 until until).foreach(to.add(read, _))
      // A chunk is not written again for each of its rows that leaves.
      if (until == read.size) remove(0)
      else {
        chunk.first += until
        chunk.from = read.time(until)
      }
      readNumber = -1
    }
  }

  /** The time of the row that `find` has found. */
  var foundTime: Long = 0L

  /**
   * Lets `found` show the last row at or before a time.
   *
   * @return
   *   whether there is one
   */
  def find(upTo: Long, found: UnsafeRow): Boolean = {
    val i = open.lastUpTo(upTo)
    val ofOpen = if (i < 0) Long.MinValue else open.time(i)
    val c = lastFrom(upTo)
    // A chunk may have a row of the same time as an open one.
    if (c >= 0 && !(i >= 0 && ofOpen > chunks(c).to)) load(chunks(c))
    val j = if (c >= 0 && readNumber == chunks(c).number) read.lastUpTo(upTo) else -1
    if (j >= 0 && (i < 0 || isAfterOpen(j, i))) {
      read.point(j, found)
      foundTime = read.time(j)
    } else if (i >= 0) {
      open.point(i, found)
      foundTime = ofOpen
    }
    i >= 0 || j >= 0
  }

  private def isAfterOpen(read: Int, i: Int): Boolean = {
    val (ofRead, ofOpen) = (this.read.time(read), open.time(i))
    ofRead > ofOpen || ofRead == ofOpen && ofOneTime.compare(this.read, read, open, i) > 0
  }

  /** The last chunk that begins at or before a time; -1 if there is none. */
  private def lastFrom(time: Long): Int = {
    var (low, high) = (0, chunks.size)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (chunks(middle).from <= time) low = middle + 1 else high = middle
    }
    low - 1
  }

  /**
   * Removes the versions that no left row needs: those before the newest one that all left rows to
   * come may have. Chunks are not read for this: one goes when its last version does. The open rows
   * are in their order.
   *
   * @param passed
   *   no left row comes or waits whose time is at or before this one, in µs
   * @param tolerance
   *   in µs
   */
  def evict(passed: Long, tolerance: Option[Long]): Unit = if (passed != Long.MinValue) {
    val known = newestUpTo(Saturating.add(passed, 1))
    val oldest = tolerance.fold(known) { t =>
      // What is exactly as old as the tolerance is still found by the next time.
      math.max(known, Saturating.add(Saturating.subtract(passed, t), 1))
    }
    var n = 0
    while (n < open.size && open.time(n) < oldest) n += 1
    open.removeFirst(n)
    while (chunks.nonEmpty && chunks.head.to < oldest) remove(0)
  }

  /** The latest of the times that are known without a chunk, at or before a time. */
  private def newestUpTo(time: Long): Long = {
    val i = open.lastUpTo(time)
    val ofOpen = if (i < 0) Long.MinValue else open.time(i)
    val c = lastFrom(time)
    if (c < 0) ofOpen
    else math.max(ofOpen, if (chunks(c).to <= time) chunks(c).to else chunks(c).from)
  }

  /**
   * The time that left rows must have passed so that `evict` removes a version; none if it never
   * does. The open rows are in their order.
   */
  def evictable(tolerance: Option[Long]): Option[Long] = Option
    .when(!isEmpty) {
      val ofOpen = if (open.size > 0) open.time(0) else Long.MaxValue
      val ofChunks = chunks.headOption.fold(Long.MaxValue)(_.to)
      val first = math.min(ofOpen, ofChunks)
      val i = open.lastUpTo(first) + 1
      val nextOpen = if (i < open.size) open.time(i) else Long.MaxValue
      val nextOfChunks = chunks
        .find(_.to > first)
        .fold(Long.MaxValue)(c => if (c.from > first) c.from else c.to)
      val next = math.min(nextOpen, nextOfChunks)
      val byNext = if (next == Long.MaxValue) Long.MaxValue else Saturating.subtract(next, 1)
      tolerance.fold(byNext)(t => math.min(byNext, Saturating.add(first, t)))
    }
    .filter(_ != Long.MaxValue)

  /** Puts open rows into chunks, the earliest first, if they are too many for a head. */
  def seal(): Unit = if (isMore(2, open.size, open.byteSize)) {
    sort()
    var (n, bytes) = (0, open.byteSize)
    while (isMore(1, open.size - n, bytes)) {
      bytes -= open.bytes.sizeOf(n)
      n += 1
    }
    var at = 0
    while (at < n) {
      val target = chunkFor(open.time(at))
      var until = at + 1
      while (until < n && chunkFor(open.time(until)) == target) until += 1
      put(target, at, until)
      at = until
    }
    open.removeFirst(n)
  }

  private def isMore(than: Int, rows: Int, bytes: Int): Boolean =
    rows > than * sizes.chunkRows || rows > 0 && bytes > than.toLong * sizes.chunkBytes

  /** The chunk into whose times a time falls; -1 behind all of them. */
  private def chunkFor(time: Long): Int =
    if (chunks.isEmpty || time > chunks.last.to) -1 else math.max(0, lastFrom(time))

  /** Puts open rows into a chunk, or into new ones behind all others. */
  private def put(target: Int, from: Int, until: Int): Unit = {
    merged.clear()
    var (at, replaced) = (target, Option.empty[Int])
    if (target >= 0) replaced = Some(takeOut(target))
    else {
      at = chunks.size
      // Chunks double in size until they are as large as those of large batches.
      var added = until - from
      while (at > 0 && chunks(at - 1).rows <= added && chunks(at - 1).rows + added <= most) {
        added += chunks(at - 1).rows
        at -= 1
      }
      (at until chunks.size).foreach { _ =>
        val number = takeOut(at)
        replaced.foreach(n => store.remove(ChunkedKeys.ofChunk(key, n)))
        replaced = Some(number)
      }
    }
    (from until until).foreach(merged.add(open, _))
    merged.sort(ofOneTime)
    writePieces(at, replaced)
  }

  private def most: Int = sizes.chunkRows * (1 + chunks.size / sizes.chunksOfASize)

  /** Adds the rows of a chunk to `merged`. */
  private def takeOut(at: Int): Int = {
    val chunk = chunks.remove(at)
    load(chunk)
    (0 until read.size).foreach(merged.add(read, _))
    readNumber = -1
    chunk.number
  }

  private def writePieces(place: Int, replaced: Option[Int]): Unit = {
    val (mostRows, mostBytes) = (most, sizes.chunkBytes.toLong * most / sizes.chunkRows)
    var (i, at, number) = (0, place, replaced)
    while (i < merged.size) {
      piece.clear()
      val first = i
      while (
        i < merged.size && (piece.size == 0 || piece.size < mostRows && piece.byteSize < mostBytes)
      ) {
        piece.add(merged, i)
        i += 1
      }
      // The next number is above those of all chunks that are in the state.
      val isNew = number.isEmpty
      val chunk = new Chunk(
        number.getOrElse(nextNumber),
        0,
        piece.size,
        merged.time(first),
        merged.time(i - 1)
      )
      store.put(ChunkedKeys.ofChunk(key, chunk.number), writer.chunk(isLeft, piece.bytes), isNew)
      chunks.insert(at, chunk)
      at += 1
      number = None
    }
  }

  /** Even numbers are of the left side, odd ones of the right side. */
  private def nextNumber: Int =
    if (chunks.isEmpty) if (isLeft) 0 else 1
    else chunks.iterator.map(_.number).max + 2

  private def remove(at: Int): Unit = {
    val chunk = chunks.remove(at)
    if (readNumber == chunk.number) readNumber = -1
    store.remove(ChunkedKeys.ofChunk(key, chunk.number))
  }

  private def load(chunk: Chunk): Unit = if (readNumber != chunk.number) {
    read.clear()
    array.pointTo(store.get(ChunkedKeys.ofChunk(key, chunk.number)), column)
    read.addAll(array, chunk.first, time, row)
    readNumber = chunk.number
  }
}
