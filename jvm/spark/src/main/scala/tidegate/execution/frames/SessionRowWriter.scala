package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Writes rows as [[SessionRow]] describes them. */
private[frames] final class SessionRowWriter(slots: BufferSlots, entryFields: Int)
    extends StateRowWriter(
      SessionRow.Columns + SessionRow.ColumnsOfPages,
      entryFields,
      shift = 0L
    ) {

  /** The head of a key, valid until the next row. */
  def head(lookAt: Long, chunks: IndexedSeq[SessionChunk], open: SessionList): UnsafeRow = {
    begin()
    setLong(SessionRow.LookAt, lookAt)
    if (chunks.isEmpty) setNull(SessionRow.Chunks)
    else
      structs(SessionRow.Chunks, chunks.size, SessionChunk.Fields) { (i, field) =>
        chunks(i).word(field)
      }
    end(open, 0, open.size)
  }

  /** A chunk, valid until the next row. */
  def chunk(sessions: SessionList, first: Int, until: Int): UnsafeRow = {
    begin()
    setLong(SessionRow.LookAt, 0L)
    setNull(SessionRow.Chunks)
    end(sessions, first, until)
  }

  private def end(sessions: SessionList, first: Int, until: Int): UnsafeRow = {
    entries(SessionRow.Sessions, slots, sessions.places, first, until)
    (SessionRow.Columns until SessionRow.Columns + SessionRow.ColumnsOfPages).foreach(setNull)
    result()
  }
}
