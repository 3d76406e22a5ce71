package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.window.Slots
import tidegate.own.StateRows
import tidegate.own.aggregates.{BufferSlots, EntryArray, FrameList, FrameStore}

/**
 * The sessions of one key: chunks, and the open sessions after them. One object is reused for all
 * keys, one after the other.
 *
 * When more than `2 * chunkSize` sessions are open, the first of them are sealed into chunks. A row
 * for a session of a chunk changes the chunk and writes it again; a row for a gap between two
 * chunks goes to the later one.
 *
 * @param isPacked
 *   whether entries are words
 * @param lookBy
 *   in µs, when a key is looked at at the latest. Each session before a later one leaves a note to
 *   look at the key when the later one ends: without the limit, there would be ever more of them
 *   for a session that is far ahead
 */
private[own] final class KeySessions(
    store: StateRows,
    slots: BufferSlots,
    entryFields: Int,
    isPacked: Boolean,
    chunkSize: Int,
    lookBy: Long
) {
  private val entries = new EntryArray(entryFields)
  private val rows = new SessionRow(entryFields)
  private val writer = new rows.Writer(slots, isPacked)

  private var key: UnsafeRow = _
  private var exists = false
  private var isChanged = false
  private var chunks = Vector.empty[SessionChunk]
  private var open = new SessionList(slots)

  // The chunks that are being changed, or the first one while its sessions close.
  private var loaded = new SessionList(slots)
  private var isFrontLoaded = false
  private var closed = 0

  /** In µs, when the key is looked at for due sessions; `KeySessions.Never` if it is new. */
  var lookAt: Long = KeySessions.Never

  /** Begins a key; `head` is its row in the state, or null. */
  def begin(stateKey: UnsafeRow, head: UnsafeRow): Unit = {
    key = stateKey
    exists = head != null
    isChanged = false
    closed = 0
    open.clear()
    chunks = Vector.empty
    lookAt = KeySessions.Never
    if (exists) {
      lookAt = rows.lookAt(head)
      val rest = rows.rest(head)
      if (rest == null) open.read(head)
      else {
        chunks = SessionChunk.read(rest)
        entries.pointTo(rest, SessionRow.Entries)
        open.readAll(entries)
      }
    }
  }

  /** When the key of a head is looked at for due sessions, in µs. */
  def lookAtOf(head: UnsafeRow): Long = rows.lookAt(head)

  /** Merges sessions, in ascending order, and takes over their entries. */
  def merge(input: FrameList): Unit = {
    isChanged = true
    var i = 0
    while (i < input.size) i = mergeFrom(input, i)
  }

  /** Merges the session at `i` and those that it meets; returns the first that it does not meet. */
  private def mergeFrom(input: FrameList, i: Int): Int = {
    val first = chunkFrom(input.frames(i))
    if (first == chunks.size) {
      open.add(input.frames(i), input.places(i))
      i + 1
    } else {
      var last = first
      var reach = Long.MinValue
      var next = i
      def belongs(start: Long) = start <= reach || chunkFrom(start) <= last
      while (next < input.size && belongs(input.frames(next))) {
        reach = math.max(reach, slots.firstBuffer(input.places(next)))
        while (last < chunks.size && startOf(last + 1) <= reach) last += 1
        next += 1
      }
      (first until math.min(last + 1, chunks.size)).foreach(load)
      if (last == chunks.size) loaded.takeAll(open)
      (i until next).foreach(j => loaded.add(input.frames(j), input.places(j)))
      if (last == chunks.size) reopen(first) else rewrite(first, last)
      next
    }
  }

  /** The first chunk with a session that does not end before `time`. */
  private def chunkFrom(time: Long): Int = {
    var from = 0
    var until = chunks.size
    while (from < until) {
      val middle = (from + until) >>> 1
      if (chunks(middle).end < time) from = middle + 1 else until = middle
    }
    from
  }

  /** Where a chunk begins, or the open sessions after the last one. */
  private def startOf(chunk: Int): Long =
    if (chunk < chunks.size) chunks(chunk).start
    else if (open.size > 0) open.start(0)
    else Long.MaxValue

  private def load(chunk: Int): Unit = {
    entries.pointTo(rows.rest(store.get(rowOf(chunks(chunk)))), SessionRow.Entries)
    loaded.readAll(entries)
  }

  private def rowOf(chunk: SessionChunk): UnsafeRow = FrameStore.numbered(key, chunk.number)

  /** The loaded sessions are open, in place of the chunks from `first` on. */
  private def reopen(first: Int): Unit = {
    chunks.drop(first).foreach(c => store.remove(rowOf(c)))
    chunks = chunks.take(first)
    val emptied = open
    open = loaded
    loaded = emptied
  }

  /** The loaded sessions take the place of the chunks from `first` to `last`. */
  private def rewrite(first: Int, last: Int): Unit = {
    val starts = if (loaded.size <= 2 * chunkSize) Seq(0) else 0 until loaded.size by chunkSize
    val numbers = chunks.slice(first, last + 1).map(_.number)
    numbers.drop(starts.size).foreach(n => store.remove(FrameStore.numbered(key, n)))
    val ends = starts.tail :+ loaded.size
    lazy val free = freeNumber
    val written = starts.zip(ends).zipWithIndex.map { case ((from, until), i) =>
      val number = numbers.lift(i)
      write(number.getOrElse(free + i), loaded, from, until, isNew = number.isEmpty)
    }
    // A key may have very many chunks, and mostly one is changed.
    chunks =
      if (written.size == 1 && numbers.size == 1) chunks.updated(first, written.head)
      else chunks.patch(first, written, numbers.size)
    loaded.clear()
  }

  private def freeNumber: Int = chunks.foldLeft(0)((next, c) => math.max(next, c.number + 1))

  private def write(
      number: Int,
      from: SessionList,
      first: Int,
      until: Int,
      isNew: Boolean
  ): SessionChunk = {
    val chunk =
      SessionChunk(number, from.start(first), from.end(first), from.end(until - 1))
    store.put(rowOf(chunk), writer.chunk(from, first, until), isNew)
    chunk
  }

  /** The next session that has ended at `until`, in order: its place, or `Slots.NoSlot`. */
  def closeNext(until: Long): Int = {
    if (!isFrontLoaded && chunks.nonEmpty && chunks.head.firstEnd <= until) {
      load(0)
      isFrontLoaded = true
    }
    val list = front
    if (list.size > closed) {
      if (list.end(closed) > until || chunks.nonEmpty && !isFrontLoaded) Slots.NoSlot
      else {
        closed += 1
        isChanged = true
        list.place(closed - 1)
      }
    } else if (isFrontLoaded) {
      endFront()
      closeNext(until)
    } else Slots.NoSlot
  }

  /** Where the session begins that was closed last. */
  def closedStart: Long = front.start(closed - 1)

  private def front: SessionList = if (isFrontLoaded) loaded else open

  /** Puts the first chunk back without the sessions that are closed. */
  private def endFront(): Unit = {
    loaded.dropFirst(closed)
    closed = 0
    isFrontLoaded = false
    if (loaded.size > 0) rewrite(0, 0)
    else {
      store.remove(rowOf(chunks.head))
      chunks = chunks.tail
    }
  }

  /**
   * Writes the key, if it was changed.
   *
   * @param looked
   *   a time up to which a look at a key is used up in this batch
   * @return
   *   whether the key must be looked at at `lookAt`, which is a new time
   */
  def write(looked: Long): Boolean = {
    if (isFrontLoaded) endFront()
    open.dropFirst(closed)
    closed = 0
    seal()
    if (chunks.isEmpty && open.size == 0) {
      if (exists) store.remove(key)
      false
    } else {
      val firstEnd = if (chunks.nonEmpty) chunks.head.firstEnd else open.end(0)
      val isNew = lookAt > firstEnd || lookAt <= looked
      if (isNew) lookAt = math.min(firstEnd, lookBy)
      if (isNew || isChanged)
        store.put(key, writer.head(lookAt, chunks, open), isNew = !exists)
      isNew
    }
  }

  /** Puts the first open sessions into chunks, if there are too many. */
  private def seal(): Unit = if (open.size > 2 * chunkSize) {
    val count = (open.size - chunkSize - 1) / chunkSize
    val free = freeNumber
    (0 until count).foreach { i =>
      chunks :+= write(free + i, open, i * chunkSize, (i + 1) * chunkSize, isNew = true)
    }
    open.dropFirst(count * chunkSize)
  }

}

private[own] object KeySessions {

  /** No time at which a key is looked at. */
  val Never: Long = Long.MaxValue
}
