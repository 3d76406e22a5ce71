package tidegate.own.over

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import tidegate.core.window.RowSlide
import tidegate.own.StateRows
import tidegate.own.aggregates.{EntryArray, EntryRowWriter, FrameStore}

/**
 * A row of the state: the head of a key, or a chunk of the rows of one of its frames. The keys of
 * chunks have a number in `chunk`, that of a head has NULL.
 *
 * | column               | of a head                                                  | of a chunk |
 * |:---------------------|:-----------------------------------------------------------|:-----------|
 * | `last`               | the time of the last row of the key, in µs                 | NULL       |
 * | `look_at`            | when the key is looked at, in µs; NULL if never            | NULL       |
 * | `before_1`           | an entry for each row before the chunks of the first frame | NULL       |
 * | `chunks_1`           | the chunks of the frame                                    | NULL       |
 * | `totals_1`           | of each chunk, its rows merged into one entry              | NULL       |
 * | `rows_1`             | an entry for each row after the chunks                     | its rows   |
 * | `entered_1`          | how many of these rows have been in the frame of a row     | NULL       |
 * | `before_2` and so on | the same of the next frames                                |            |
 *
 * A frame that begins with the first row has no chunks, and one total: of all rows it has had.
 */
private[over] object PastRow {
  val Last = 0
  private val LookAt = 1
  private val First = 2
  private val OfFrame = 5
  private val ChunkFields = 3

  // The columns of a frame.
  def before(frame: Int): Int = First + OfFrame * frame
  def chunks(frame: Int): Int = before(frame) + 1
  def totals(frame: Int): Int = before(frame) + 2
  def after(frame: Int): Int = before(frame) + 3
  def entered(frame: Int): Int = before(frame) + 4

  private val chunk = StructType(
    Seq(
      StructField("chunk", LongType, nullable = false),
      StructField("rows", LongType, nullable = false),
      StructField("first", TimestampType, nullable = false)
    )
  )

  /** @param entries the type of an entry of each frame */
  def schema(entries: Seq[StructType]): StructType =
    StructType(
      Seq(StructField("last", LongType), StructField("look_at", LongType)) ++
        entries.zipWithIndex.flatMap { case (entry, i) =>
          def array(name: String, of: StructType) =
            StructField(s"${name}_${i + 1}", ArrayType(of, containsNull = false))
          Seq(
            array("before", entry),
            array("chunks", chunk),
            array("totals", entry),
            array("rows", entry),
            StructField(s"entered_${i + 1}", LongType)
          )
        }
    )

  /** When a key is looked at; `Long.MaxValue` if never. */
  def lookAt(head: UnsafeRow): Long =
    if (head.isNullAt(LookAt)) Long.MaxValue else head.getLong(LookAt)

  def setLookAt(head: UnsafeRow, micros: Long): Unit =
    if (micros == Long.MaxValue) head.setNullAt(LookAt) else head.setLong(LookAt, micros)

  /** The entries in a column; null if there are none. */
  def entries(row: UnsafeRow, column: Int, fields: Int): EntryArray =
    if (row.isNullAt(column)) null
    else {
      val array = new EntryArray(fields)
      array.pointTo(row, column)
      array
    }

  /** The chunks in a column. */
  def chunks(head: UnsafeRow, column: Int): Seq[Chunk] =
    if (head.isNullAt(column)) Nil
    else {
      val all = head.getArray(column)
      (0 until all.numElements).map { i =>
        val c = all.getStruct(i, ChunkFields)
        Chunk(c.getLong(0).toInt, c.getLong(1).toInt, c.getLong(2))
      }
    }

  /** After the columns of a row comes that of `DueSchema`. */
  final class Writer(frames: Int)
      extends EntryRowWriter(First + OfFrame * frames + 1, entryFields = 1, shift = 0L) {
    private var places = new Array[Int](16)

    def begin(last: Long, lookAt: Long): Unit = {
      begin()
      setLong(Last, last)
      if (lookAt != Long.MaxValue) setLong(LookAt, lookAt)
    }

    def beginChunk(): Unit = begin()

    def setEntered(column: Int, count: Int): Unit = setLong(column, count.toLong)

    /** Values from one number until another; nothing if there are none. */
    def set(column: Int, values: FrameValues, slide: RowSlide, from: Int, until: Int): Unit =
      if (from < until) {
        if (places.length < until - from) places = new Array[Int](2 * (until - from))
        (from until until).foreach(i => places(i - from) = slide.value(i))
        setEntries(column, values.slots, places, 0, until - from)
      }

    /** The merged value of all rows, also of none. */
    def setTotal(column: Int, values: FrameValues, place: Int): Unit = {
      places(0) = values.placeOf(place)
      setEntries(column, values.slots, places, 0, 1)
    }

    def setChunks(column: Int, chunks: collection.IndexedSeq[Chunk]): Unit =
      if (chunks.nonEmpty)
        setStructs(column, chunks.size, ChunkFields) { (i, struct) =>
          struct.setLong(0, chunks(i).number.toLong)
          struct.setLong(1, chunks(i).rows.toLong)
          struct.setLong(2, chunks(i).first)
        }

    def end(): UnsafeRow = result()
  }
}

/**
 * What the head of a key knows of a chunk, beside its merged value.
 *
 * @param number
 *   names the row of the chunk
 * @param rows
 *   how many rows it has
 * @param first
 *   the time of its first row, in µs
 */
private[over] final case class Chunk(number: Int, rows: Int, first: Long)

/** The chunks of all keys of a partition. */
private[over] final class ChunkStore(store: StateRows, val frames: Int) {
  private val writer = new PastRow.Writer(frames)

  def get(key: UnsafeRow): UnsafeRow = store.get(key)

  def remove(key: UnsafeRow): Unit = store.remove(key)

  def put(key: UnsafeRow)(write: PastRow.Writer => Unit): Unit = {
    writer.beginChunk()
    write(writer)
    store.put(key, writer.end(), isNew = true)
  }
}

/** The chunks of one frame of a key. */
private[over] final class FrameChunks(chunks: ChunkStore, key: UnsafeRow, frame: Int) {

  /** The number of the chunk after another one, or of the first. */
  def next(last: Option[Int]): Int = last.fold(frame)(Math.addExact(_, chunks.frames))

  private def keyOf(number: Int): UnsafeRow = FrameStore.numbered(key, number)

  /** The rows of a chunk, valid until the next row of the state is read. */
  def entries(number: Int, fields: Int): EntryArray =
    PastRow.entries(chunks.get(keyOf(number)), PastRow.after(frame), fields)

  def put(number: Int, values: FrameValues, slide: RowSlide, from: Int, size: Int): Unit =
    chunks.put(keyOf(number))(_.set(PastRow.after(frame), values, slide, from, from + size))

  def remove(number: Int): Unit = chunks.remove(keyOf(number))
}
