package tidegate.execution.frames

import org.apache.spark.sql.types._

/**
 * A row of the state of sessions. Each key has a head. Sessions that do not fit there are sealed
 * into chunks: rows of their own that are read only when one of their sessions changes or closes.
 *
 * | column     | of a head                                    | of a chunk   |
 * |:-----------|:---------------------------------------------|:-------------|
 * | `look_at`  | when the key is looked at for due sessions   | 0            |
 * | `chunks`   | its chunks, in the order of their sessions   | NULL         |
 * | `sessions` | the open sessions after the chunks, in order | its sessions |
 *
 * `chunks` is NULL too if there are none.
 */
private[tidegate] object SessionRow {
  val LookAt = 0
  val Chunks = 1
  val Sessions = 2
  val Columns = 3

  /** After these: see `DueSchema`. */
  val ColumnsOfPages = 1

  /** What the first columns of an entry are called. */
  val Times: Seq[String] = Seq("start", "end")

  private val chunk = StructType(
    StructField("chunk", LongType, nullable = false) +:
      Seq("start", "first_end", "end").map(StructField(_, TimestampType, nullable = false))
  )

  def schema(entry: StructType): StructType = StructType(
    Seq(
      StructField("look_at", TimestampType, nullable = false),
      StructField("chunks", ArrayType(chunk, containsNull = false)),
      StructField("sessions", ArrayType(entry, containsNull = false), nullable = false)
    )
  )
}
