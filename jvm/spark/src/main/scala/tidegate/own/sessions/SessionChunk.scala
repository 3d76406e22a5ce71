package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

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
