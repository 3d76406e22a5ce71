package tidegate.execution

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types._
import tidegate.columns.DistinctNames

/**
 * The folder to which the late rows of an operator go: in each batch a Parquet file for each
 * partition that has some.
 *
 * @param files
 *   which ones, with the name of the operator
 * @param row
 *   the columns of a row that are written
 * @param origin
 *   the operator, its watermarks and the query, as the rows tell them
 * @param wallClockMs
 *   of the batch, in epoch ms
 * @param maxRows
 *   how many rows the tasks of a batch write together
 */
private[tidegate] final case class LateFolder(
    files: QueryFiles,
    row: Seq[Attribute],
    origin: LateOrigin,
    wallClockMs: Long,
    maxRows: Long
) {

  def batch: Long = files.batch

  private[execution] def file(partition: Int): Path = files.file(f"$partition%05d.parquet")
}

private[tidegate] object LateFolder {
  private val Window = StructType(
    Seq("start", "end").map(StructField(_, TimestampType, nullable = false))
  )
  private val FileName = """.+-[0-9a-f]{8}-\d{8,}-\d{5,}\.parquet""".r

  /** Whether a folder has files of late rows, and no others. */
  def has(folder: Path, conf: Configuration): Boolean = {
    val system = folder.getFileSystem(conf)
    def isHidden(name: String) = name.startsWith(".") || name.startsWith("_")
    system.exists(folder) && {
      val names = system.listStatus(folder).map(_.getPath.getName).filterNot(isHidden)
      names.nonEmpty && names.forall(FileName.matches)
    }
  }

  /**
   * The columns of the files. `row` is the whole row, as the operator would have got it; a name
   * that comes twice has a number at its second place.
   */
  def schema(row: Seq[Attribute]): StructType = StructType(
    Seq(
      StructField("operator", StringType),
      StructField("watermark", StringType),
      StructField("watermark_time", TimestampType),
      StructField("event_time", TimestampType),
      StructField("late_by_ms", LongType),
      StructField("substream", StringType),
      StructField("query", StringType),
      StructField("batch_id", LongType),
      StructField("wall_clock", TimestampType),
      StructField("partly_late", BooleanType),
      StructField("missed_windows", ArrayType(Window)),
      StructField("row", StructType(fields(row)))
    )
  )

  private def fields(row: Seq[Attribute]): Seq[StructField] =
    DistinctNames.of(row.map(a => StructField(a.name, a.dataType)))
}
