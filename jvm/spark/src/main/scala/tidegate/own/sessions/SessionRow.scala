package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import tidegate.own.aggregates.{BufferSlots, EntryRowWriter}

/**
 * A row of the state of sessions. Each key has a head. Sessions that do not fit there are sealed
 * into chunks: rows of their own that are read only when one of their sessions changes or closes.
 *
 * | column                              | of a head with one session                   | of another head                    | of a chunk   |
 * |:------------------------------------|:---------------------------------------------|:-----------------------------------|:-------------|
 * | `start`, `end`, one for each buffer | the session, if all buffers are words        | NULL                               | NULL         |
 * | `look_at`                           | when the key is looked at for due sessions   | the same                           | NULL         |
 * | `rest`                              | NULL, if the columns before have the session | what follows                       | what follows |
 * | `rest`: `chunks`                    | NULL                                         | its chunks                         | NULL         |
 * | `rest`: `sessions`                  | the session, if the columns before are NULL  | the open sessions after the chunks | its sessions |
 *
 * Chunks and sessions are in order. `chunks` is NULL too if there are none.
 */
private[own] final class SessionRow(entryFields: Int) {
  import SessionRow._

  private val LookAt = entryFields
  private val Rest = entryFields + 1

  /** When the key of a head is looked at, in µs. */
  def lookAt(head: UnsafeRow): Long = head.getLong(LookAt)

  /** What is not in the columns of a row; null if all of it is. */
  def rest(row: UnsafeRow): UnsafeRow =
    if (row.isNullAt(Rest)) null else row.getStruct(Rest, RestColumns)

  /** Writes rows; `isPacked` if all buffers are words. */
  final class Writer(slots: BufferSlots, isPacked: Boolean)
      extends EntryRowWriter(Rest + 1 + ColumnsOfPages, entryFields, shift = 0L) {
    private val restWriter = new RestWriter(slots, entryFields)

    /** The head of a key, valid until the next row. */
    def head(lookAt: Long, chunks: IndexedSeq[SessionChunk], open: SessionList): UnsafeRow = {
      begin()
      if (isPacked && chunks.isEmpty && open.size == 1) {
        setFirst(slots, open.place(0))
        (Rest to Rest + ColumnsOfPages).foreach(setNull)
      } else setRow(Rest, restWriter.row(chunks, open, 0, open.size))
      setLong(LookAt, lookAt)
      result()
    }

    /** A chunk, valid until the next row. */
    def chunk(sessions: SessionList, first: Int, until: Int): UnsafeRow = {
      begin()
      setRow(Rest, restWriter.row(Vector.empty, sessions, first, until))
      result()
    }
  }
}

private[tidegate] object SessionRow {

  // The columns of `rest`.
  private[own] val Chunks = 0
  private[own] val Entries = 1
  private val RestColumns = 2

  /** The names of the column of entries, and of those that it is in. */
  private[own] val EntriesPath: Seq[String] = Seq("rest", "sessions")

  /** After the columns of a row: see `DueSchema`. */
  private val ColumnsOfPages = 1

  /** What the first columns of an entry are called. */
  val Times: Seq[String] = Seq("start", "end")

  private val chunk = StructType(
    StructField("chunk", LongType, nullable = false) +:
      Seq("start", "first_end", "end").map(StructField(_, TimestampType, nullable = false))
  )

  def schema(entry: StructType): StructType = {
    val rest = new StructType()
      .add("chunks", ArrayType(chunk, containsNull = false))
      .add(EntriesPath.last, ArrayType(entry, containsNull = false), nullable = false)
    StructType(entry.map(_.copy(nullable = true)))
      .add("look_at", TimestampType)
      .add(EntriesPath.head, rest)
  }

  private final class RestWriter(slots: BufferSlots, entryFields: Int)
      extends EntryRowWriter(RestColumns, entryFields, shift = 0L) {

    def row(
        chunks: IndexedSeq[SessionChunk],
        sessions: SessionList,
        first: Int,
        until: Int
    ): UnsafeRow = {
      begin()
      if (chunks.nonEmpty)
        setStructs(Chunks, chunks.size, SessionChunk.Fields) { (i, chunk) =>
          (0 until SessionChunk.Fields).foreach(f => chunk.setLong(f, chunks(i).word(f)))
        }
      setEntries(Entries, slots, sessions.places, first, until)
      result()
    }
  }
}

/**
 * What the head of a key knows about a chunk of its sessions. Times are in µs.
 *
 * @param number
 *   names the row of the chunk
 * @param start
 *   of its first session
 * @param firstEnd
 *   the end of its first session
 * @param end
 *   of its last session
 */
private[own] final case class SessionChunk(
    number: Int,
    start: Long,
    firstEnd: Long,
    end: Long
) {
  def word(field: Int): Long = field match {
    case 0 => number.toLong
    case 1 => start
    case 2 => firstEnd
    case _ => end
  }
}

private[own] object SessionChunk {
  val Fields = 4

  /** The chunks in the `rest` of a head. */
  def read(rest: UnsafeRow): Vector[SessionChunk] =
    if (rest.isNullAt(SessionRow.Chunks)) Vector.empty
    else {
      val all = rest.getArray(SessionRow.Chunks)
      Vector.tabulate(all.numElements) { i =>
        val c = all.getStruct(i, Fields)
        SessionChunk(c.getLong(0).toInt, c.getLong(1), c.getLong(2), c.getLong(3))
      }
    }
}
