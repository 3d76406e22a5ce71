package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.due.DueBucket
import tidegate.core.window.{FrameCursor, FrameGrid, WindowChange}
import tidegate.own.StateRows
import tidegate.own.aggregates.{BufferSlots, EntryArray, FrameList, FrameStore}
import tidegate.statistics.DueTimes

/**
 * The frames of a key that are in one row of the state: its chunks, and the open frames after them;
 * of windows that do not overlap, those of one window. One object is reused for all rows, one after
 * the other.
 *
 * When more than `2 * chunkFrames` are open, the first `chunkFrames` of them are sealed. Their
 * number decides and not the watermark, because the head would grow while the watermark is held
 * back. Rows for a sealed chunk change the chunk and write it again; rows for a gap between two
 * chunks go to the later one. A chunk that has grown to more than twice its size is split.
 *
 * @param isPacked
 *   whether entries are words. Then the head has the entries of a chunk merged into one; otherwise
 *   it has only the first entry, because the merged entry may be as large as the chunk
 * @param short
 *   how rows are read and written if they may be short
 */
private[own] final class KeyFrames(
    store: StateRows,
    slots: BufferSlots,
    grid: FrameGrid,
    chunkFrames: Int,
    entryFields: Int,
    isPacked: Boolean,
    short: Option[ShortRow]
) extends FrameCursor {
  private val entries = new EntryArray(entryFields)
  private val writer = new FrameRowWriter(grid, entryFields)
  private val shortRow = short.orNull
  private val shortWriter = short.map(s => new s.Writer(slots, grid, isPacked)).orNull

  private var key: UnsafeRow = _
  private var exists = false

  /** Whether the key must be written, with or without rows in this batch. */
  var mustWrite: Boolean = false
  private val chunks = new HeadChunks(slots)
  private val open = new FrameList(slots)

  // The chunk whose entries are in memory.
  private val loaded = new FrameList(slots)
  private var loadedChunk = KeyFrames.NoChunk
  private var isDirty = false

  private val scratch = slots.allocate()

  // The cursor: in a chunk, or after all chunks in the open frames.
  private var chunk = 0
  private var index = 0

  /** The number of chunks: a window may read the merged entries of each. */
  def chunkCount: Int = chunks.size

  /** Begins a key; `head` is its row in the state, or null. */
  def begin(stateKey: UnsafeRow, head: UnsafeRow): Unit = {
    key = stateKey
    exists = head != null
    chunks.clear()
    open.clear()
    unload()
    mustWrite = false
    if (exists) {
      val long = longOf(head)
      if (long == null) readShort(head)
      else if (isRowOfToday(long)) read(long)
      else regrid(long.copy())
    }
  }

  /** Whether the row may still have a window to emit that ends at or before `until`. */
  def isOpen(head: UnsafeRow, until: Long): Boolean = {
    val long = longOf(head)
    if (long == null) shortRow.isOpen(head, until) else FrameRow.isOpen(long, until)
  }

  /** The row as [[FrameRow]] describes it; null if it is short. */
  private def longOf(row: UnsafeRow): UnsafeRow = if (shortRow == null) row else shortRow.long(row)

  /** Rows have the ends of frames: an old frame goes into the frame of today in which it ends. */
  private def readShort(row: UnsafeRow): Unit = {
    val more = shortRow.more(row)
    if (shortRow.hasFirst(row, more))
      take(grid.frameOf(shortRow.end(row) - 1))(slots.loadColumns(row, 0, _))
    (0 until more.size).foreach { i =>
      take(grid.frameOf(more.frame(i) - 1))(slots.load(more, i, _))
    }
  }

  /** Whether a row is of today's windows. */
  def isOfToday(row: UnsafeRow): Boolean = isRowOfToday(longOf(row))

  private def isRowOfToday(head: UnsafeRow): Boolean =
    head.getLong(FrameRow.Slide) == grid.slide && head.getLong(FrameRow.Offset) == grid.offset &&
      head.getLong(FrameRow.Size) == grid.size

  private def read(head: UnsafeRow): Unit = {
    entries.pointTo(head, FrameRow.Chunks)
    chunks.readAll(head, entries)
    entries.pointTo(head, FrameRow.Frames)
    open.readAll(entries)
  }

  /**
   * Moves frames of a changed window definition into the current frames. If only the window size
   * changed, this merges the entries of chunks again, because a chunk may have become longer or
   * shorter than a window.
   */
  private def regrid(head: UnsafeRow): Unit = {
    mustWrite = true
    val slide = head.getLong(FrameRow.Slide)
    // Only the frames of the earlier windows matter here.
    val change = WindowChange(FrameGrid(slide, slide, head.getLong(FrameRow.Offset)), grid)
    val ids = head.getArray(FrameRow.ChunkIds).toIntArray
    chunks.reserveIds(below = ids.foldLeft(0)((next, id) => math.max(next, id + 1)))
    ids.foreach { id =>
      val chunkKey = FrameStore.numbered(key, id)
      moveAll(longOf(store.get(chunkKey)), change)
      store.remove(chunkKey)
    }
    moveAll(head, change)
  }

  private def moveAll(row: UnsafeRow, change: WindowChange): Unit = {
    entries.pointTo(row, FrameRow.Frames)
    (0 until entries.size).foreach { i =>
      take(change.moved(entries.frame(i)))(slots.load(entries, i, _))
      seal()
    }
  }

  /** Loads an entry for the last frame, or for a frame behind the last. */
  private def take(frame: Long)(load: Int => Unit): Unit =
    if (open.size > 0 && open.last == frame) {
      load(scratch)
      slots.merge(open.places(open.size - 1), scratch, open.places(open.size - 1))
    } else {
      val slot = open.insert(open.size, frame)
      load(slot)
      slots.setFrame(slot, frame)
    }

  /** Merges frames, in ascending order, and takes over their entries. */
  def merge(input: FrameList): Unit = {
    mustWrite = true
    (0 until input.size).foreach(i => merge(input.frames(i), input.places(i)))
    flush()
    seal()
  }

  private def merge(frame: Long, place: Int): Unit =
    if (chunks.size > 0 && frame <= chunks.ends(chunks.size - 1)) {
      // Before the search, because writing the loaded chunk may split it.
      if (chunks.indexFrom(frame) != loadedChunk) flush()
      val c = chunks.indexFrom(frame)
      load(c)
      isDirty = true
      chunks.firsts(c) = math.min(chunks.firsts(c), frame)
      mergeInto(loaded, frame, place)
    } else mergeInto(open, frame, place)

  private def mergeInto(list: FrameList, frame: Long, place: Int): Unit = {
    val i = list.indexBehind(frame)
    if (i > 0 && list.frames(i - 1) == frame) {
      slots.merge(list.places(i - 1), place, list.places(i - 1))
      slots.release(place)
    } else list.insert(i, frame, place)
  }

  /** Puts the first open frames into chunks, as long as there are too many. */
  private def seal(): Unit = {
    flush()
    unload()
    var sealedFrames = 0
    while (open.size - sealedFrames > 2 * chunkFrames) {
      chunks.insert(chunks.size, isFree)
      val (first, until) = (sealedFrames, sealedFrames + chunkFrames)
      writeChunk(chunks.size - 1, open, first, until, isNew = true)
      sealedFrames += chunkFrames
    }
    open.dropFirst(sealedFrames)
  }

  /** Whether no row of the key has a chunk with a number. */
  private val isFree = (id: Int) => store.get(FrameStore.numbered(key, id)) == null

  private def writeChunk(
      c: Int,
      from: FrameList,
      first: Int,
      until: Int,
      isNew: Boolean
  ): Unit = {
    chunks.firsts(c) = from.frames(first)
    chunks.ends(c) = from.frames(until - 1)
    val merged = chunks.places(c)
    slots.copy(from.places(first), merged)
    if (isRun(c)) {
      (first + 1 until until).foreach(i => slots.merge(merged, from.places(i), merged))
    }
    put(
      FrameStore.numbered(key, chunks.ids(c)),
      row(0L, chunks.size, from, first, until),
      isNew
    )
  }

  private def load(c: Int): Unit =
    if (loadedChunk != c) {
      flush()
      unload()
      val row = longOf(store.get(FrameStore.numbered(key, chunks.ids(c))))
      entries.pointTo(row, FrameRow.Frames)
      loaded.readAll(entries)
      loadedChunk = c
    }

  private def unload(): Unit = {
    loaded.clear()
    loadedChunk = KeyFrames.NoChunk
    isDirty = false
  }

  /** Writes the loaded chunk if it was changed; as several chunks if it has grown too large. */
  private def flush(): Unit =
    if (isDirty) {
      isDirty = false
      if (loaded.size <= 2 * chunkFrames)
        writeChunk(loadedChunk, loaded, 0, loaded.size, isNew = false)
      else {
        val starts = 0 until loaded.size by chunkFrames
        starts.tail.foreach(_ => chunks.insert(loadedChunk + 1, isFree))
        starts.zipWithIndex.foreach { case (start, i) =>
          val until = math.min(start + chunkFrames, loaded.size)
          writeChunk(loadedChunk + i, loaded, start, until, isNew = i > 0)
        }
        unload()
      }
    }

  /** The key of the row of the state. */
  def rowKey: UnsafeRow = key

  /** Gives the row of the state another key. */
  def moveTo(other: UnsafeRow): Unit = {
    if (exists) store.remove(key)
    exists = false
    key = other
    mustWrite = true
  }

  /**
   * Removes frames that are over from the first chunk that is not, so that the first frame of the
   * row has a window after those that end at or before `closed`.
   */
  def trim(closed: Long): Unit = {
    val firstAlive = grid.firstOpenFrame(closed)
    val c = chunks.indexFrom(firstAlive)
    if (c < chunks.size && chunks.firsts(c) < firstAlive) {
      load(c)
      loaded.dropFirst(loaded.indexFrom(firstAlive))
      writeChunk(c, loaded, 0, loaded.size, isNew = false)
    }
  }

  /** Whether the state has the row. */
  def isThere: Boolean = exists

  /** The first frame. */
  def first: Long = if (chunks.size > 0) chunks.firsts(0) else open.frames(0)

  /** The first frame of a row that is not open. */
  def first(row: UnsafeRow): Long = {
    val long = longOf(row)
    entries.pointTo(long, FrameRow.Chunks)
    if (entries.size == 0) entries.pointTo(long, FrameRow.Frames)
    entries.frame(0)
  }

  /** The numbers of the chunks of a row that is not open. */
  def chunkIds(row: UnsafeRow): Array[Int] = longOf(row).getArray(FrameRow.ChunkIds).toIntArray

  /** The root of [[FarRows]]: buckets, each with the first end in it. */
  def listing(buckets: Seq[(DueBucket, Long)]): UnsafeRow = {
    writer.begin(0L)
    writer.setInts(FrameRow.ChunkIds, buckets.map(_._1.bits).toArray, 0, buckets.size)
    writer.setLongs(FrameRow.ChunkEnds, buckets.map(_._2).toArray, 0, buckets.size)
    writer.setEntries(FrameRow.Chunks, slots, Array.empty, 0, 0)
    writer.setEntries(FrameRow.Frames, slots, Array.empty, 0, 0)
    asStored(writer.result())
  }

  /** The buckets in a root. */
  def listed(root: UnsafeRow): Seq[(DueBucket, Long)] = {
    val long = longOf(root)
    val bits = chunkIds(root).toSeq
    val ends = long.getArray(FrameRow.ChunkEnds).toLongArray.toSeq
    bits.zip(ends).map { case (bits, end) => DueBucket.holding(end, bits) -> end }
  }

  /**
   * Writes the key if it has changed or nothing of it is left, as of the moment when all windows
   * that end at or before `closed` are emitted.
   */
  def writeIfNeeded(closed: Long): Unit = if (mustWrite || isDead(closed)) write(closed)

  private def write(closed: Long): Unit = {
    val (deadChunks, deadFrames) = dropDeadChunks(closed)
    if (deadChunks == chunks.size && deadFrames == open.size) {
      if (exists) store.remove(key)
    } else if (shortRow != null && grid.isPlain && chunks.size == deadChunks)
      store.put(key, shortWriter.short(open, deadFrames), isNew = !exists)
    else put(key, row(closed, deadChunks, open, deadFrames, open.size), isNew = !exists)
  }

  /** A row with the chunks from one on, and with some of the frames of a list. */
  private def row(
      micros: Long,
      firstChunk: Int,
      frames: FrameList,
      first: Int,
      until: Int
  ): UnsafeRow = {
    writer.begin(micros)
    writer.setInts(FrameRow.ChunkIds, chunks.ids, firstChunk, chunks.size)
    writer.setLongs(FrameRow.ChunkEnds, chunks.ends, firstChunk, chunks.size)
    writer.setEntries(FrameRow.Chunks, slots, chunks.places, firstChunk, chunks.size)
    writer.setEntries(FrameRow.Frames, slots, frames.places, first, until)
    writer.result()
  }

  /** Removes the chunks of the key. */
  def removeChunks(): Unit =
    (0 until chunks.size).foreach(c => store.remove(FrameStore.numbered(key, chunks.ids(c))))

  private def put(key: UnsafeRow, row: UnsafeRow, isNew: Boolean): Unit =
    store.put(key, asStored(row), isNew)

  private def asStored(row: UnsafeRow): UnsafeRow =
    if (shortRow == null) row else shortWriter.long(row)

  /**
   * Whether the key has no window left after all windows that end at or before `closed` are
   * emitted.
   */
  def isDead(closed: Long): Boolean = {
    val last = if (open.size > 0) open.last else chunks.ends(chunks.size - 1)
    grid.lastEndOver(last) <= closed
  }

  /**
   * The end of the first window after those that end at or before `closed`; `DueTimes.Never` if the
   * key has none. It may be too early if the chunk in question is not in memory.
   */
  def nextEnd(closed: Long): Long = {
    val firstAlive = grid.firstOpenFrame(closed)
    val (c, i) = (chunks.indexFrom(firstAlive), open.indexFrom(firstAlive))
    if (c < chunks.size && c == loadedChunk)
      endAfter(closed, loaded.frames(loaded.indexFrom(firstAlive)))
    else if (c < chunks.size) endAfter(closed, chunks.firsts(c))
    else if (i < open.size) endAfter(closed, open.frames(i))
    else DueTimes.Never
  }

  /** The same for a head that is not open; it may be too early. */
  def nextEnd(head: UnsafeRow, closed: Long): Long = {
    val long = longOf(head)
    if (long == null) shortRow.end(head)
    else if (!isRowOfToday(long)) endAfter(closed, closed)
    else endAfter(closed, first(head))
  }

  private def endAfter(closed: Long, frame: Long): Long =
    grid.firstEndOver(math.max(closed, frame))

  private def dropDeadChunks(closed: Long): (Int, Int) = {
    val firstAlive = grid.firstOpenFrame(closed)
    val deadChunks = chunks.indexFrom(firstAlive)
    (0 until deadChunks).foreach(c => store.remove(FrameStore.numbered(key, chunks.ids(c))))
    (deadChunks, open.indexFrom(firstAlive))
  }

  private def inChunk: Boolean = chunk < chunks.size

  private def beginsChunk: Boolean = inChunk && index == 0

  /** Whether the merged entry of a chunk can be used: never if no window has all of its frames. */
  private def isRun(c: Int): Boolean =
    isPacked && grid.mayHold(chunks.firsts(c), chunks.ends(c))

  private def list: FrameList =
    if (inChunk) {
      load(chunk)
      loaded
    } else open

  override def seek(frame: Long): Unit = {
    chunk = chunks.indexFrom(frame)
    index = if (inChunk && chunks.firsts(chunk) >= frame) 0 else list.indexFrom(frame)
  }

  override def frame: Long =
    if (beginsChunk) chunks.firsts(chunk)
    else if (inChunk) list.frames(index)
    else if (index < open.size) open.frames(index)
    else FrameCursor.End

  override def slot: Int = list.places(index)

  override def advance(): Unit = {
    val length = list.size
    index += 1
    if (inChunk && index == length) nextChunk()
  }

  private def nextChunk(): Unit = {
    chunk += 1
    index = 0
  }

  private def beginsRun: Boolean = beginsChunk && isRun(chunk)

  override def runEnd: Long = if (beginsRun) chunks.ends(chunk) else frame

  override def runSlot: Int = if (beginsRun) chunks.places(chunk) else slot

  override def advanceRun(): Unit = if (beginsRun) nextChunk() else advance()
}

private object KeyFrames {
  private val NoChunk = -1
}
