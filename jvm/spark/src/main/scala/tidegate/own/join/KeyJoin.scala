package tidegate.own.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.Saturating
import tidegate.core.due.DueKeys
import tidegate.own.StateRows
import tidegate.own.due.ChunkedKeys

/**
 * The join of one key at a time: loads what the state has of the key, pairs it with new rows, lets
 * rows leave that find no partner any more, and writes the rest back.
 *
 * Call `next` until it returns null before you begin anything else.
 *
 * @param upTo
 *   for each side the time in µs up to which, inclusive, rows find no partner any more
 * @param dueKeys
 *   note when a key has to be looked at because of the rows of a side
 */
private[join] final class KeyJoin(
    store: StateRows,
    rules: JoinRules,
    pairing: Pairing,
    reach: Reach,
    alone: RowsAlone,
    times: Sides[SideTime],
    upTo: Sides[Long],
    sizes: JoinSizes,
    dueKeys: Sides[DueKeys[UnsafeRow]]
) {
  import KeyJoin._

  private val writer = new JoinRowWriter
  private val open = new TwoSides(alone.left.numFields, alone.right.numFields, times)
  private val chunk = new TwoSides(alone.left.numFields, alone.right.numFields, times)
  private val earlier = new TwoSides(alone.left.numFields, alone.right.numFields, times)
  private val chunks = new ChunkList
  private val emitsPairs = rules.emitsPairs || rules.emitsLeftOnce
  private var key: UnsafeRow = _
  private var isStored = false
  private var dues = Sides[Option[Long]](None, None)

  /** What `next` does; and where in this step. */
  private var step = Ended
  private var lefts = 0
  private var rights = 0
  private var news = Sides(NoTimes, NoTimes)
  private var chunkAt = 0
  private val gone = mutable.Set.empty[Int]
  private var ending: TwoSides = _
  private var aloneAt = 0

  /** The rows of the key that are not in chunks. New rows are added here, before `beginPairs`. */
  def rows: TwoSides = open

  /** Whether there are so many rows outside of chunks that some of them should be sealed. */
  def isCrowded: Boolean = isMore(than = 2, open.size, open.byteSize)

  /** Goes on to a key. The row must stay as it is until the next key. */
  def begin(of: UnsafeRow): Unit = {
    key = of
    open.clear()
    chunks.clear()
    dues = NoDues
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
   * Begins with the pairs of the rows that were added since there were so many of each side. At the
   * end, some of the rows may be in chunks.
   */
  def beginPairs(lefts: Int, rights: Int): Unit = {
    this.lefts = lefts
    this.rights = rights
    pairing.begin(open.left, lefts, open.left.size, open.right, 0, open.right.size)
    step = NewLefts
  }

  /** Begins with what the key emits when all rows of the batch are there; then it is written. */
  def beginEnd(): Unit = {
    if (gone.nonEmpty) gone.clear()
    endChunks(from = 0)
  }

  /**
   * As `begin` and `beginEnd`, for a key that is looked at because a time has come; nothing is
   * begun if this is not the time that the key was waiting for.
   */
  def beginLook(of: UnsafeRow, isLeft: Boolean, dueMicros: Long): Unit = {
    begin(of)
    if (isStored && dues.of(isLeft).exists(_ == dueMicros)) {
      dues = if (isLeft) dues.copy(left = None) else dues.copy(right = None)
      beginEnd()
    }
  }

  /** The next result, in a row that is filled again; null if what was begun has ended. */
  def next(): InternalRow = {
    var row: InternalRow = null
    while (row == null && step != Ended) {
      row = step match {
        case LeftsAlone  => nextAlone(isLeft = true)
        case RightsAlone => nextAlone(isLeft = false)
        case _           => nextPair()
      }
      if (row == null) nextStep()
    }
    row
  }

  private def nextStep(): Unit = step match {
    case NewLefts =>
      pairing.begin(open.left, 0, lefts, open.right, rights, open.right.size)
      step = NewRights
    case NewRights =>
      if (chunks.size > 0)
        news = Sides(Times.of(open.left, from = lefts), Times.of(open.right, from = rights))
      pairWithChunks(from = 0)
    case ChunkRights =>
      pairing.begin(chunk.left, 0, chunk.left.size, open.right, rights, open.right.size)
      step = ChunkLefts
    case ChunkLefts =>
      if (chunk.isChanged) putChunkAgain()
      pairWithChunks(from = chunkAt + 1)
    case LeftsAlone =>
      aloneAt = 0
      step = RightsAlone
    case _ =>
      if (ending eq chunk) {
        endChunk()
        endChunks(from = chunkAt + 1)
      } else {
        removePassed(open)
        writeBack()
        step = Ended
      }
  }

  private def nextPair(): InternalRow = {
    var pair = pairing.next()
    if (!emitsPairs) while (pair != null) pair = pairing.next()
    pair
  }

  /** Goes on to the next chunk that may have a partner of a new row. */
  private def pairWithChunks(from: Int): Unit = {
    chunkAt = from
    while (chunkAt < chunks.size && !mayPair(chunkAt)) chunkAt += 1
    if (chunkAt < chunks.size) {
      readChunk(chunkAt, to = chunk)
      pairing.begin(open.left, lefts, open.left.size, chunk.right, 0, chunk.right.size)
      step = ChunkRights
    } else step = Ended
  }

  private def mayPair(i: Int): Boolean = {
    def ofChunk(isLeft: Boolean) = Times(chunks.from(i, isLeft), chunks.to(i, isLeft))
    mayPair(news.left, ofChunk(isLeft = false)) || mayPair(ofChunk(isLeft = true), news.right)
  }

  private def mayPair(left: Times, right: Times): Boolean =
    !left.isEmpty && !right.isEmpty && reach.includes(left.from, left.to, right.from, right.to)

  /** Reads the rows of a chunk that have not left. */
  private def readChunk(i: Int, to: TwoSides): Unit = {
    to.read(store.get(ChunkedKeys.ofChunk(key, chunks.number(i))))
    Sides.Both.foreach { isLeft =>
      val (rows, due) = (to.of(isLeft), chunks.due(i, isLeft))
      if (due > chunks.from(i, isLeft)) rows.removeIf(r => rows.time(r) < due && !rows.isMatched(r))
    }
  }

  private def putChunkAgain(): Unit = {
    chunks.set(chunkAt, chunk)
    putChunk(chunks.number(chunkAt), isNew = false)
  }

  private def putChunk(number: Int, isNew: Boolean): Unit =
    store.put(
      ChunkedKeys.ofChunk(key, number),
      writer.write(None, None, null, chunk.left, chunk.right),
      isNew
    )

  /** The next row that leaves without a partner. */
  private def nextAlone(isLeft: Boolean): InternalRow =
    if (!rules.emitsUnmatched.of(isLeft)) null
    else {
      val (rows, limit) = (ending.of(isLeft), upTo.of(isLeft))
      while (aloneAt < rows.size && (rows.time(aloneAt) > limit || rows.isMatched(aloneAt)))
        aloneAt += 1
      if (aloneAt == rows.size) null
      else {
        rows.point(aloneAt, alone.of(isLeft))
        aloneAt += 1
        if (isLeft) alone.ofLeft else alone.ofRight
      }
    }

  private def removePassed(rows: TwoSides): Unit = {
    rows.left.removeIf(leaves(rows.left, isLeft = true, _))
    rows.right.removeIf(leaves(rows.right, isLeft = false, _))
  }

  private def leaves(rows: SideRows, isLeft: Boolean, i: Int): Boolean =
    rows.time(i) <= upTo.of(isLeft) || isLeft && rules.isOnce && rows.isMatched(i)

  /**
   * Goes on to the next chunk that may have a row that leaves without a partner, or to the head.
   */
  private def endChunks(from: Int): Unit = {
    chunkAt = from
    while (chunkAt < chunks.size && !isDue(chunkAt)) {
      if (hasPassed(chunkAt)) removeChunk(chunkAt)
      chunkAt += 1
    }
    if (chunkAt < chunks.size) {
      readChunk(chunkAt, to = chunk)
      ending = chunk
    } else {
      if (gone.nonEmpty) chunks.removeIf(gone)
      ending = open
    }
    aloneAt = 0
    step = LeftsAlone
  }

  /**
   * Rows of the chunk have left. It is written again if at most half of its rows stay. Otherwise
   * the head notes the time of the next row that leaves, and what is before it counts as gone: so a
   * chunk with rows much out of order is not written in each batch.
   */
  private def endChunk(): Unit = {
    def staying(isLeft: Boolean) = {
      val rows = chunk.of(isLeft)
      (0 until rows.size).count(!leaves(rows, isLeft, _))
    }
    val stay = Sides.Both.map(staying).sum
    // No time comes after the last one.
    val isLast = Sides.Both.exists(upTo.of(_) == Long.MaxValue)
    if (stay == 0) removeChunk(chunkAt)
    else if (2 * stay <= chunks.rows(chunkAt) || isLast) {
      removePassed(chunk)
      putChunkAgain()
    } else
      Sides.Both.foreach { isLeft =>
        val due = chunk.of(isLeft).lowestUnmatchedFrom(upTo.of(isLeft) + 1)
        chunks.setDue(chunkAt, isLeft, due)
      }
  }

  private def removeChunk(i: Int): Unit = {
    store.remove(ChunkedKeys.ofChunk(key, chunks.number(i)))
    gone += i
  }

  private def isDue(i: Int): Boolean = Sides.Both.exists { isLeft =>
    rules.emitsUnmatched.of(isLeft) && chunks.has(i, isLeft) &&
    chunks.due(i, isLeft) <= upTo.of(isLeft)
  }

  private def hasPassed(i: Int): Boolean = Sides.Both.forall { isLeft =>
    !chunks.has(i, isLeft) || chunks.to(i, isLeft) <= upTo.of(isLeft)
  }

  private def writeBack(): Unit =
    if (open.isEmpty && chunks.size == 0) {
      if (isStored) store.remove(key)
    } else {
      if (isCrowded) seal()
      noteDue()
      store.put(
        key,
        writer.write(dues.left, dues.right, chunks, open.left, open.right),
        isNew = !isStored
      )
    }

  /**
   * Rows that may leave without a partner have to be found at their times, and chunks when all
   * their rows have passed. Otherwise it is enough to look at the key now and then: when the first
   * of its chunks has passed, or all its rows, on that side where the time is nearer.
   */
  private def noteDue(): Unit = {
    if (rules.emitsUnmatched.left) noteFirst(isLeft = true)
    if (rules.emitsUnmatched.right) noteFirst(isLeft = false)
    if (dues.left.isEmpty && dues.right.isEmpty) {
      val (left, right) = (lastOf(isLeft = true), lastOf(isLeft = false))
      def rest(isLeft: Boolean, last: Long) = Saturating.subtract(last, upTo.of(isLeft))
      if (
        right == Long.MinValue || left != Long.MinValue && rest(isLeft = true, left) <= rest(
          isLeft = false,
          right
        )
      )
        noteDue(isLeft = true, left)
      else noteDue(isLeft = false, right)
    }
  }

  private def noteFirst(isLeft: Boolean): Unit = {
    val first = firstOf(isLeft)
    if (first != Long.MaxValue && dues.of(isLeft).forall(_ > first)) noteDue(isLeft, first)
  }

  private def noteDue(isLeft: Boolean, micros: Long): Unit = {
    dues = if (isLeft) dues.copy(left = Some(micros)) else dues.copy(right = Some(micros))
    dueKeys.of(isLeft).add(key, micros)
  }

  private def firstOf(isLeft: Boolean): Long = {
    var first = open.of(isLeft).lowestUnmatched
    var i = 0
    while (i < chunks.size) {
      first = math.min(first, chunks.due(i, isLeft))
      if (isOpen(i, isLeft)) first = math.min(first, chunks.to(i, isLeft))
      i += 1
    }
    first
  }

  /** Whether a chunk has rows of a side that have not passed. */
  private def isOpen(i: Int, isLeft: Boolean): Boolean =
    chunks.has(i, isLeft) && chunks.to(i, isLeft) > upTo.of(isLeft)

  /**
   * The end of the first chunk that has rows of a side that have not passed, or of the rows that
   * are not in chunks.
   */
  private def lastOf(isLeft: Boolean): Long = {
    var (last, isInChunk) = (Long.MaxValue, false)
    var i = 0
    while (i < chunks.size) {
      if (isOpen(i, isLeft)) {
        last = math.min(last, chunks.to(i, isLeft))
        isInChunk = true
      }
      i += 1
    }
    if (isInChunk) last else open.of(isLeft).highest
  }

  /**
   * Puts the oldest of the rows outside of chunks into chunks, so that a batch does not write them
   * again. The newest stay: new rows find their partners among them, and rows far ahead of the
   * others do not get into one chunk with them. The more chunks there are, the larger the next one
   * may be: otherwise a key with millions of rows would have a long list of chunks in its head.
   */
  def seal(): Unit = {
    val (all, lefts) = (open.size, open.left.size)
    def time(i: Int) = if (i < lefts) open.left.time(i) else open.right.time(i - lefts)
    val oldestFirst = (0 until all).toArray.sortBy(time)
    val isSealed = new Array[Boolean](all)
    var (at, bytes) = (0, open.byteSize)
    while (isMore(than = 2, all - at, bytes)) {
      val factor = 1 + chunks.size / sizes.chunksOfASize
      chunk.clear()
      while (isMore(than = 1, all - at, bytes - chunk.byteSize) && hasRoom(factor)) {
        val i = oldestFirst(at)
        if (i < lefts) chunk.left.add(open.left, i) else chunk.right.add(open.right, i - lefts)
        isSealed(i) = true
        at += 1
      }
      bytes -= chunk.byteSize
      putSealed(factor)
    }
    open.left.removeIf(isSealed(_))
    open.right.removeIf(i => isSealed(lefts + i))
  }

  /** Whether there is more than some small chunks have. */
  private def isMore(than: Int, rows: Int, bytes: Long): Boolean =
    rows > than * sizes.chunkRows || bytes > than.toLong * sizes.chunkBytes

  private def hasRoom(factor: Int): Boolean = chunk.isEmpty ||
    chunk.size < sizes.chunkRows * factor && chunk.byteSize < sizes.chunkBytes.toLong * factor

  /**
   * Writes a chunk that is sealed. Chunks before it that are not larger go into it, if there is
   * room for them: where batches bring few rows, chunks double in size until they are as large as
   * those of large batches, and a row is written again once for each time that they double.
   */
  private def putSealed(factor: Int): Unit = {
    var (number, isNew) = (chunks.nextNumber, true)
    while (takeInLast(factor)) {
      if (!isNew) store.remove(ChunkedKeys.ofChunk(key, number))
      number = chunks.number(chunks.size - 1)
      isNew = false
      chunks.removeLast()
    }
    chunks.add(number, chunk)
    putChunk(number, isNew)
  }

  /** Adds the rows of the last chunk to those of the one that is sealed, if they fit. */
  private def takeInLast(factor: Int): Boolean = {
    val last = chunks.size - 1
    def isSmall = chunks.rows(last) <= chunk.size &&
      chunks.rows(last) + chunk.size <= sizes.chunkRows * factor
    last >= 0 && isSmall && hasRoom(factor) && {
      readChunk(last, to = earlier)
      val fits = earlier.byteSize + chunk.byteSize <= sizes.chunkBytes.toLong * factor
      if (fits) {
        chunk.left.addAll(earlier.left)
        chunk.right.addAll(earlier.right)
      }
      fits
    }
  }
}

private object KeyJoin {
  private val NoDues = Sides[Option[Long]](None, None)

  private final val Ended = 0

  /** New left rows, with all right rows that are not in chunks. */
  private final val NewLefts = 1

  /** The other left rows, with new right rows. */
  private final val NewRights = 2

  /** New left rows, with the right rows of a chunk. */
  private final val ChunkRights = 3

  /** The left rows of a chunk, with new right rows. */
  private final val ChunkLefts = 4

  private final val LeftsAlone = 5
  private final val RightsAlone = 6

  /** From the lowest to the highest time of some rows. */
  private final case class Times(from: Long, to: Long) {
    def isEmpty: Boolean = from > to
  }

  private object Times {

    /** Of the rows from a number on. */
    def of(rows: SideRows, from: Int): Times = {
      var (low, high) = (Long.MaxValue, Long.MinValue)
      (from until rows.size).foreach { i =>
        low = math.min(low, rows.time(i))
        high = math.max(high, rows.time(i))
      }
      Times(low, high)
    }
  }

  private val NoTimes = Times(Long.MaxValue, Long.MinValue)
}
