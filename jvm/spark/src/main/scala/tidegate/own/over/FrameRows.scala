package tidegate.own.over

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The values of the rows of a key that later rows may have in one of their frames, in order.
 *
 * Many rows are in chunks: a chunk is a row of the state, of which the key knows the merged value
 * and the last time. A chunk is read when the frame begins within it. So a batch costs what enters
 * and leaves, and the number of chunks.
 */
private[over] final class FrameRows(values: FrameValues, chunks: FrameChunks) {
  private val slide = values.slide()

  /** The chunks, which lie one after the other. */
  private val sealedRows = new mutable.ArrayDeque[Chunk]

  /** The number of rows before the first chunk that are not in a chunk. */
  private var before = 0

  /** The number of rows, in chunks or not. */
  private var count = 0L

  def addPeer(time: Long, row: InternalRow): Unit = values.frame match {
    case _: OverRange => add(time, row)
    case _            => ()
  }

  private def add(time: Long, row: InternalRow): Unit = {
    values.add(slide, time, row)
    count += 1
  }

  /**
   * Moves the frame to a row.
   *
   * @param isSettled
   *   whether the frame was moved to a row of this time before
   */
  def moveTo(time: Long, row: InternalRow, isSettled: Boolean): Unit = values.frame match {
    case OverRange(lower, upper) =>
      if (!isSettled) {
        lower.foreach(l => leaveBefore(l.of(time)))
        val until = upper.of(time)
        while (slide.inFrame < slide.size && slide.time(slide.inFrame) <= until) slide.enter()
      }
    case OverRows(lower, upper) =>
      add(time, row)
      lower.foreach(n => leaveBut(n.toLong + 1))
      while (slide.size - slide.inFrame > upper) slide.enter()
  }

  /** The number of values in memory. */
  def size: Int = slide.size

  private def isChunkFirst: Boolean = before == 0 && sealedRows.nonEmpty

  private def leaveBefore(time: Long): Unit =
    while (
      slide.size > 0 &&
      (slide.time(0) < time || isChunkFirst && sealedRows.head.first < time)
    )
      if (isChunkFirst && slide.time(0) >= time) open() else leave()

  private def leaveBut(most: Long): Unit =
    while (count > most)
      if (isChunkFirst && count - sealedRows.head.rows < most) open() else leave()

  /** The first row leaves, or all rows of the first chunk. */
  private def leave(): Unit = {
    if (isChunkFirst) {
      val chunk = sealedRows.removeHead()
      chunks.remove(chunk.number)
      count -= chunk.rows
    } else {
      before = math.max(0, before - 1)
      count -= 1
    }
    slide.leave()
  }

  /** Reads the rows of the first chunk in the place of the chunk. */
  private def open(): Unit = {
    val chunk = sealedRows.removeHead()
    val (times, places) = values.load(chunks.entries(chunk.number, values.fields))
    slide.expand(times, places)
    chunks.remove(chunk.number)
    before = places.length
  }

  def result: UnsafeRow = values.result(slide)

  /** Reads what the head of the key has. */
  def read(head: UnsafeRow, frame: Int): Unit = {
    def load(column: Int): Int = {
      val (times, places) = values.load(PastRow.entries(head, column, values.fields))
      times.indices.foreach(i => slide.add(times(i), places(i)))
      times.length
    }
    if (!values.frame.slides) {
      val total = values.load(PastRow.entries(head, PastRow.totals(frame), values.fields))._2
      total.headOption.foreach(slide.begin)
    } else {
      sealedRows ++= PastRow.chunks(head, PastRow.chunks(frame))
      before = load(PastRow.before(frame))
      load(PastRow.totals(frame))
    }
    count = before + sealedRows.iterator.map(_.rows.toLong).sum + load(PastRow.after(frame))
    // A frame does not go back, also where the calendar does.
    if (values.frame.slides) {
      val entered = before + sealedRows.size + head.getLong(PastRow.entered(frame)).toInt
      while (slide.inFrame < entered) slide.enter()
    }
  }

  /** Puts rows into chunks if there are many behind the last chunk. */
  def seal(): Unit = if (values.frame.slides) {
    while (slide.inFrame - before - sealedRows.size >= 2 * FrameRows.ChunkRows) {
      val from = before + sealedRows.size
      val first = slide.time(from)
      val number = chunks.next(sealedRows.lastOption.map(_.number))
      val total = values.merged(slide, from, FrameRows.ChunkRows)
      chunks.put(number, values, slide, from, FrameRows.ChunkRows)
      slide.contract(from, FrameRows.ChunkRows, total)
      sealedRows += Chunk(number, FrameRows.ChunkRows, first)
    }
  }

  def write(to: PastRow.Writer, frame: Int): Unit =
    if (values.frame.slides) {
      val after = before + sealedRows.size
      to.set(PastRow.before(frame), values, slide, 0, before)
      to.setChunks(PastRow.chunks(frame), sealedRows)
      to.set(PastRow.totals(frame), values, slide, before, after)
      to.set(PastRow.after(frame), values, slide, after, slide.size)
      to.setEntered(PastRow.entered(frame), slide.inFrame - after)
    } else {
      to.setTotal(PastRow.totals(frame), values, slide.merged)
      to.set(PastRow.after(frame), values, slide, 0, slide.size)
    }

  /** Gives back all places. */
  def release(): Unit = slide.release()

  /** As if there had been no rows. */
  def forget(): Unit = {
    slide.release()
    sealedRows.foreach(chunk => chunks.remove(chunk.number))
    sealedRows.clear()
    before = 0
    count = 0
  }
}

private[over] object FrameRows {

  /** The rows of a chunk. */
  val ChunkRows = 64
}
