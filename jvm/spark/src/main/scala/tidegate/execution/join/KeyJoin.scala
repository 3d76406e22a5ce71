package tidegate.execution.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}
import tidegate.core.Saturating

/**
 * The join of one key at a time: loads what the state has of the key, pairs it with new rows, lets
 * rows leave that find no partner any more, and writes the rest back.
 *
 * Results come out as the iterators are read, and the state changes behind the last result; so an
 * iterator has to be read to its end before anything else is done.
 *
 * @param upTo
 *   for each side the time in µs up to which, inclusive, rows find no partner any more
 * @param addDue
 *   notes when a key has to be looked at because of the rows of a side
 */
private[join] final class KeyJoin(
    store: JoinStore,
    rules: JoinRules,
    pairing: Pairing,
    reach: Reach,
    fields: Sides[Int],
    times: Sides[SideTime],
    upTo: Sides[Long],
    sizes: JoinSizes,
    addDue: (UnsafeRow, Boolean, Long) => Unit
) {
  import KeyJoin._

  private val writer = new JoinRowWriter
  private val open = new TwoSides(fields.left, fields.right, times)
  private val chunk = new TwoSides(fields.left, fields.right, times)
  private val chunks = new ChunkList
  private var key: UnsafeRow = _
  private var isStored = false
  private var dues = Sides[Option[Long]](None, None)
  private val unmatched = new JoinedRow
  private val row = Sides(new UnsafeRow(fields.left), new UnsafeRow(fields.right))
  private val nulls = Sides(JoinRules.nulls(fields.left), JoinRules.nulls(fields.right))

  /** The rows of the key that are not in chunks. New rows are added here, before `pairs`. */
  def rows: TwoSides = open

  /** Goes on to a key. The row must stay as it is until the next key. */
  def begin(of: UnsafeRow): Unit = {
    key = of
    open.clear()
    chunks.clear()
    dues = Sides(None, None)
    val head = store.get(key)
    isStored = head != null
    if (isStored) readHead(head)
  }

  private def readHead(head: UnsafeRow): Unit = {
    def due(column: Int) = Option.when(!head.isNullAt(column))(head.getLong(column))
    dues = Sides(due(JoinStateSchema.LeftDue), due(JoinStateSchema.RightDue))
    if (!head.isNullAt(JoinStateSchema.Chunks)) chunks.read(head.getArray(JoinStateSchema.Chunks))
    open.read(head)
  }

  /**
   * The results of the rows that were added since there were so many of each side.
   *
   * All new rows are in `rows`; when the iterator ends, some may be in chunks.
   */
  def pairs(lefts: Int, rights: Int): Iterator[InternalRow] = {
    val (left, right) = (open.left, open.right)
    val news = Sides(lefts until left.size, rights until right.size)
    results(pairing.pairs(left, news.left, right, 0 until right.size)) ++
      results(pairing.pairs(left, 0 until lefts, right, news.right)) ++
      (if (chunks.size == 0) Iterator.empty else pairsWithChunks(news)) ++
      thenDo { seal() }
  }

  private def results(pairs: Iterator[JoinedRow]): Iterator[InternalRow] =
    if (rules.emitsPairs || rules.emitsLeftOnce) pairs else pairs.filter(_ => false)

  private def pairsWithChunks(news: Sides[Range]): Iterator[InternalRow] = {
    val (fromLeft, toLeft) = extent(open.left, news.left)
    val (fromRight, toRight) = extent(open.right, news.right)
    def mayPair(i: Int) =
      reach.includes(fromLeft, toLeft, chunks.from(i, false), chunks.to(i, false)) &&
        chunks.has(i, false) && fromLeft <= toLeft ||
        reach.includes(chunks.from(i, true), chunks.to(i, true), fromRight, toRight) &&
        chunks.has(i, true) && fromRight <= toRight
    (0 until chunks.size).iterator.filter(mayPair).flatMap { i =>
      chunk.read(store.get(JoinStore.chunkKey(key, chunks.number(i))))
      results(pairing.pairs(open.left, news.left, chunk.right, 0 until chunk.right.size)) ++
        results(pairing.pairs(chunk.left, 0 until chunk.left.size, open.right, news.right)) ++
        thenDo { if (chunk.isChanged) putChunk(i) }
    }
  }

  private def extent(rows: SideRows, range: Range): (Long, Long) = {
    var (from, to) = (Long.MaxValue, Long.MinValue)
    range.foreach { i =>
      from = math.min(from, rows.time(i))
      to = math.max(to, rows.time(i))
    }
    (from, to)
  }

  private def putChunk(i: Int): Unit =
    store.put(
      JoinStore.chunkKey(key, chunks.number(i)),
      writer.write(None, None, null, chunk.left, chunk.right)
    )

  /** What the key emits when all rows of the batch are there; then its rows are written. */
  def end(): Iterator[InternalRow] =
    (if (chunks.size == 0) Iterator.empty else endOfChunks()) ++
      endOf(open) ++ thenDo { writeBack() }

  /**
   * As `begin` and `end`, for a key that is looked at because a time has come.
   *
   * @return
   *   nothing if this is not the time that the key was waiting for
   */
  def look(of: UnsafeRow, isLeft: Boolean, dueMicros: Long): Iterator[InternalRow] = {
    begin(of)
    if (!isStored || !dues.of(isLeft).contains(dueMicros)) Iterator.empty
    else {
      dues = if (isLeft) dues.copy(left = None) else dues.copy(right = None)
      end()
    }
  }

  /** The rows that leave without a partner; at the end, no row is left whose time has passed. */
  private def endOf(rows: TwoSides): Iterator[InternalRow] =
    BothSides.iterator.filter(rules.emitsUnmatched.of).flatMap(unmatchedOf(rows, _)) ++
      thenDo { removePassed(rows) }

  private def unmatchedOf(rows: TwoSides, isLeft: Boolean): Iterator[InternalRow] = {
    val (side, limit) = (rows.of(isLeft), upTo.of(isLeft))
    (0 until side.size).iterator
      .filter(i => side.time(i) <= limit && !side.isMatched(i))
      .map { i =>
        side.point(i, row.of(isLeft))
        if (isLeft) unmatched(row.left, nulls.right) else unmatched(nulls.left, row.right)
      }
  }

  private def removePassed(rows: TwoSides): Unit = {
    val (left, right) = (rows.left, rows.right)
    left.removeIf(i => left.time(i) <= upTo.left || rules.isOnce && left.isMatched(i))
    right.removeIf(right.time(_) <= upTo.right)
  }

  private def endOfChunks(): Iterator[InternalRow] = {
    val gone = mutable.Set.empty[Int]
    (0 until chunks.size).iterator.flatMap { i =>
      if (hasUnmatched(i)) {
        chunk.read(store.get(JoinStore.chunkKey(key, chunks.number(i))))
        endOf(chunk) ++ thenDo {
          if (chunk.isEmpty) {
            store.remove(JoinStore.chunkKey(key, chunks.number(i)))
            gone += i
          } else {
            putChunk(i)
            chunks.set(i, chunk.left, chunk.right)
          }
        }
      } else {
        if (hasPassed(i)) {
          store.remove(JoinStore.chunkKey(key, chunks.number(i)))
          gone += i
        }
        Iterator.empty
      }
    } ++ thenDo { chunks.removeIf(gone) }
  }

  private def hasUnmatched(i: Int): Boolean = BothSides.exists { isLeft =>
    rules.emitsUnmatched.of(isLeft) && chunks.has(i, isLeft) &&
    chunks.from(i, isLeft) <= upTo.of(isLeft)
  }

  private def hasPassed(i: Int): Boolean = BothSides.forall { isLeft =>
    !chunks.has(i, isLeft) || chunks.to(i, isLeft) <= upTo.of(isLeft)
  }

  private def writeBack(): Unit =
    if (open.isEmpty && chunks.size == 0) {
      if (isStored) store.remove(key)
    } else {
      seal()
      noteDue()
      store.put(key, writer.write(dues.left, dues.right, chunks, open.left, open.right))
    }

  /**
   * Rows that may leave without a partner have to be found at their times. Otherwise it is enough
   * to look at the key now and then: when the first of its chunks has passed, or all its rows, on
   * that side where the time is nearer.
   */
  private def noteDue(): Unit = {
    BothSides.filter(rules.emitsUnmatched.of).foreach { isLeft =>
      val first = firstOf(isLeft)
      if (first != Long.MaxValue && dues.of(isLeft).forall(_ > first)) noteDue(isLeft, first)
    }
    if (dues.left.isEmpty && dues.right.isEmpty) {
      val (isLeft, last) = BothSides
        .map(isLeft => isLeft -> lastOf(isLeft))
        .filter(_._2 != Long.MinValue)
        .minBy { case (isLeft, last) => Saturating.subtract(last, upTo.of(isLeft)) }
      noteDue(isLeft, last)
    }
  }

  private def noteDue(isLeft: Boolean, micros: Long): Unit = {
    dues = if (isLeft) dues.copy(left = Some(micros)) else dues.copy(right = Some(micros))
    addDue(key, isLeft, micros)
  }

  private def firstOf(isLeft: Boolean): Long =
    (0 until chunks.size).foldLeft(open.of(isLeft).lowest(onlyUnmatched = true)) { (first, i) =>
      math.min(first, chunks.from(i, isLeft))
    }

  private def lastOf(isLeft: Boolean): Long = {
    val ofChunks = (0 until chunks.size).filter(chunks.has(_, isLeft)).map(chunks.to(_, isLeft))
    ofChunks.minOption.getOrElse(open.of(isLeft).highest)
  }

  /**
   * If there are many rows outside of chunks, the oldest of them go into chunks, so that a batch
   * does not write them again. The more chunks there are, the larger the next one is: otherwise a
   * key with millions of rows would have a long list of chunks in its head.
   */
  private def seal(): Unit =
    if (open.size > 2 * sizes.chunkRows || open.byteSize > 2L * sizes.chunkBytes) {
      val lefts = open.left.size
      def time(i: Int) = if (i < lefts) open.left.time(i) else open.right.time(i - lefts)
      val oldestFirst = (0 until open.size).toArray.sortBy(time)
      var (at, bytes) = (0, open.byteSize)
      val isSealed = new Array[Boolean](open.size)
      while (open.size - at > sizes.chunkRows || bytes > sizes.chunkBytes && at < open.size) {
        val factor = 1 + chunks.size / 32
        chunk.clear()
        while (
          at < open.size && chunk.size < sizes.chunkRows * factor &&
          (chunk.isEmpty || chunk.byteSize < sizes.chunkBytes * factor)
        ) {
          val i = oldestFirst(at)
          if (i < lefts) chunk.left.add(open.left, i) else chunk.right.add(open.right, i - lefts)
          isSealed(i) = true
          at += 1
        }
        bytes -= chunk.byteSize
        val number = chunks.nextNumber
        chunks.add(number, chunk.left, chunk.right)
        putChunk(chunks.size - 1)
      }
      open.left.removeIf(isSealed(_))
      open.right.removeIf(i => isSealed(lefts + i))
    }
}

private object KeyJoin {

  /** As left and right. */
  private val BothSides = Seq(true, false)

  /** Nothing, but does something when it is read. */
  private def thenDo(body: => Unit): Iterator[InternalRow] = new Iterator[InternalRow] {
    private var isDone = false

    override def hasNext: Boolean = {
      if (!isDone) {
        isDone = true
        body
      }
      false
    }

    override def next(): InternalRow = throw new NoSuchElementException("there are no rows")
  }
}
