package tidegate.own.over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import tidegate.core.Saturating
import tidegate.core.window.RowSlide
import tidegate.own.aggregates.{EntryArray, EntryRowWriter}

/** What a key has of the rows that have left, for the rows that come: their values in each frame. */
private[over] final class PastRows(frames: Array[FrameValues], keptMicros: Option[Long]) {
  private val slides: Array[RowSlide] = frames.map(_.slide())

  /** The time of the last row, in µs. */
  private var last = Long.MinValue

  /** When the key is looked at, in µs; `Long.MaxValue` if never. */
  private var lookAt = Long.MaxValue

  /** Up to which time the frames of time have been moved. */
  private var settled = Long.MinValue
  private var isSettled = false

  /** Whether the key has a row in the state. */
  var isStored: Boolean = false

  /** Adds the values of all rows of one time, before the first of them is asked for its results. */
  def addPeer(time: Long, row: InternalRow): Unit = {
    // Whether the state still has the key depends on when a batch came.
    if (PastRows.leavesAt(last, keptMicros) <= time) release()
    isSettled &&= settled == time
    last = time
    foreachFrame { (values, slide) =>
      values.frame match {
        case _: OverRange => values.add(slide, time, row)
        case _             => ()
      }
    }
  }

  /** Moves all frames to a row. */
  def moveTo(time: Long, row: InternalRow): Unit = {
    foreachFrame { (values, slide) =>
      values.frame match {
        case OverRange(lower, upper) =>
          if (!isSettled) {
            val (from, until) = (lower.map(_.of(time)), upper.of(time))
            while (from.exists(f => slide.size > 0 && slide.time(0) < f)) slide.leave()
            while (slide.inFrame < slide.size && slide.time(slide.inFrame) <= until) slide.enter()
          }
        case OverRows(lower, upper) =>
          values.add(slide, time, row)
          while (lower.exists(n => slide.size - 1 > n)) slide.leave()
          while (slide.size - slide.inFrame > upper) slide.enter()
      }
    }
    settled = time
    isSettled = true
  }

  /** The results of the frame with a number. */
  def result(frame: Int): UnsafeRow = frames(frame).result(slides(frame))

  private def foreachFrame(f: (FrameValues, RowSlide) => Unit): Unit = {
    var i = 0
    while (i < frames.length) {
      f(frames(i), slides(i))
      i += 1
    }
  }

  /** Gives back all places. */
  def release(): Unit = slides.foreach(_.release())

  /** Reads what a row of the state has. */
  def read(row: UnsafeRow, entries: Array[EntryArray]): Unit = {
    isStored = true
    last = row.getLong(PastRow.Last)
    lookAt = PastRow.lookAt(row)
    var i = 0
    while (i < frames.length) {
      val (array, slots, slide) = (entries(i), frames(i).slots, slides(i))
      array.pointTo(row, PastRow.Frames + i)
      var e = 0
      while (e < array.size) {
        val place = slots.allocate()
        slots.load(array, e, place)
        if (e == 0 && !frames(i).frame.slides) slide.begin(place)
        else slide.add(array.frame(e), place)
        e += 1
      }
      i += 1
    }
  }

  /** When the key leaves if it is to be looked at and has no time for it yet; none otherwise. */
  def toLookAt(): Option[Long] =
    Option.when(lookAt == Long.MaxValue && keptMicros.isDefined) {
      lookAt = PastRows.leavesAt(last, keptMicros)
      lookAt
    }

  /** Writes what `read` reads. */
  def write(to: PastRow.Writer): UnsafeRow = {
    to.begin(last, lookAt)
    foreachFrame(to.setFrame(_, _))
    to.end()
  }
}

private[over] object PastRows {

  /** @param keptMicros how long after its last row a key is kept; none if for ever */
  def leavesAt(last: Long, keptMicros: Option[Long]): Long =
    keptMicros.fold(Long.MaxValue)(kept => Saturating.add(Saturating.add(last, kept), 1L))
}

/**
 * A row of the state.
 *
 * | column    | what                                                                                   |
 * |:----------|:---------------------------------------------------------------------------------------|
 * | `last`    | the time of the last row of the key, in µs                                             |
 * | `look_at` | when the key is looked at, in µs; NULL if never                                        |
 * | `frame_1` | an entry for each row that later rows may have in their first frame, and so on. A      |
 * |           | frame that begins with the first row has first the rows that it has had, as one entry  |
 */
private[over] object PastRow {
  val Last = 0
  private val LookAt = 1

  /** The column of the first frame. */
  val Frames = 2

  /** When a key is looked at; `Long.MaxValue` if never. */
  def lookAt(row: UnsafeRow): Long =
    if (row.isNullAt(LookAt)) Long.MaxValue else row.getLong(LookAt)

  def setLookAt(row: UnsafeRow, micros: Long): Unit =
    if (micros == Long.MaxValue) row.setNullAt(LookAt) else row.setLong(LookAt, micros)

  /** @param entries the type of an entry of each frame */
  def schema(entries: Seq[StructType]): StructType =
    StructType(
      Seq(StructField("last", LongType), StructField("look_at", LongType)) ++
        entries.zipWithIndex.map { case (entry, i) =>
          StructField(s"frame_${i + 1}", ArrayType(entry, containsNull = false))
        }
    )

  /** After the columns of a row comes that of `DueSchema`. */
  final class Writer(frames: Array[FrameValues])
      extends EntryRowWriter(Frames + frames.length + 1, entryFields = 1, shift = 0L) {
    private var places = new Array[Int](16)
    private var column = Frames

    def begin(last: Long, lookAt: Long): Unit = {
      begin()
      column = Frames
      setLong(Last, last)
      if (lookAt != Long.MaxValue) setLong(LookAt, lookAt)
    }

    /** The values of the next frame. */
    def setFrame(values: FrameValues, slide: RowSlide): Unit = {
      var n = 0
      if (places.length <= slide.size) places = new Array[Int](2 * slide.size + 1)
      if (!values.frame.slides) {
        places(0) = values.placeOf(slide.merged)
        n = 1
      }
      (0 until slide.size).foreach(i => places(n + i) = slide.value(i))
      setEntries(column, values.slots, places, 0, n + slide.size)
      column += 1
    }

    def end(): UnsafeRow = result()
  }
}
