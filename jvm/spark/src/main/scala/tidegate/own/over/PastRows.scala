package tidegate.own.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.Saturating

/**
 * What a key has of the rows that have left, for the rows that come: their values in each frame.
 */
private[over] final class PastRows(
    key: UnsafeRow,
    frames: Array[FrameValues],
    chunks: ChunkStore,
    keptMicros: Option[Long]
) {
  private val rows: Array[FrameRows] = frames.zipWithIndex.map { case (values, i) =>
    new FrameRows(values, new FrameChunks(chunks, key, i))
  }

  /** The time of the last row, in µs. */
  private var last = Long.MinValue

  /** When the key is looked at, in µs; `Long.MaxValue` if never. */
  private var lookAt = Long.MaxValue

  /** Up to which time the frames of time have been moved. */
  private var settled = Long.MinValue
  private var isSettled = false

  /** Whether the key has a head in the state. */
  var isStored: Boolean = false

  /** Adds the values of all rows of one time, before the first of them is asked for its results. */
  def addPeer(time: Long, row: InternalRow): Unit = {
    // Whether the state still has the key depends on when a batch came.
    if (PastRows.leavesAt(last, keptMicros) <= time) forget()
    isSettled &&= settled == time
    last = time
    var i = 0
    while (i < rows.length) {
      rows(i).addPeer(time, row)
      i += 1
    }
  }

  /** Moves all frames to a row. */
  def moveTo(time: Long, row: InternalRow): Unit = {
    var i = 0
    while (i < rows.length) {
      rows(i).moveTo(time, row, isSettled)
      i += 1
    }
    settled = time
    isSettled = true
  }

  /** The results of the frame with a number. */
  def result(frame: Int): UnsafeRow = rows(frame).result

  /** The number of values in memory. */
  def size: Int = rows.iterator.map(_.size).sum

  /** Reads the head of the key. */
  def read(head: UnsafeRow): Unit = {
    isStored = true
    last = head.getLong(PastRow.Last)
    lookAt = PastRow.lookAt(head)
    rows.zipWithIndex.foreach { case (frame, i) => frame.read(head, i) }
  }

  /** When the key leaves if it is to be looked at and has no time for it yet; none otherwise. */
  def toLookAt(): Option[Long] =
    Option.when(lookAt == Long.MaxValue && keptMicros.isDefined) {
      lookAt = PastRows.leavesAt(last, keptMicros)
      lookAt
    }

  /** Writes what `read` reads, and ends. */
  def write(to: PastRow.Writer): UnsafeRow = {
    rows.foreach(_.seal())
    to.begin(last, lookAt)
    rows.zipWithIndex.foreach { case (frame, i) => frame.write(to, i) }
    rows.foreach(_.release())
    to.end()
  }

  /** Removes the chunks of the key. */
  def forget(): Unit = rows.foreach(_.forget())
}

private[over] object PastRows {

  /** @param keptMicros how long after its last row a key is kept; none if for ever */
  def leavesAt(last: Long, keptMicros: Option[Long]): Long =
    keptMicros.fold(Long.MaxValue)(kept => Saturating.add(Saturating.add(last, kept), 1L))
}
