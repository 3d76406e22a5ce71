package tidegate.execution

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils.escapePathName
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types._
import tidegate.clock.LateLeftovers
import tidegate.columns.DistinctNames

/**
 * The folder to which the late rows of an operator go: in each batch a Parquet file for each
 * partition that has some.
 *
 * @param row
 *   the columns of a row that are written
 * @param queryId
 *   keeps the files of two queries apart
 * @param origin
 *   the operator, its watermarks and the query, as the rows tell them
 * @param batch
 *   the number of the batch. Not that of a task: an application may read a batch in threads of its
 *   own, whose tasks have another number or none
 * @param wallClockMs
 *   of the batch, in epoch ms
 * @param maxRows
 *   how many rows the tasks of a batch write together
 * @param leftovers
 *   of earlier runs of the query
 */
private[tidegate] final case class LateFolder(
    path: String,
    row: Seq[Attribute],
    queryId: UUID,
    origin: LateOrigin,
    batch: Long,
    wallClockMs: Long,
    maxRows: Long,
    @transient leftovers: LateLeftovers
) {

  private[execution] def file(partition: Int): Path =
    new Path(path, f"$prefix$batch%08d-$partition%05d.parquet")

  private def prefix: String = {
    // Spark takes files for hidden whose names begin so.
    val operator = escapePathName(origin.operator).replaceFirst("^_", "%5F")
    s"$operator-${queryId.toString.take(8)}-"
  }

  /** Whether a file, also one that was only begun, is of this batch of the query or a later one. */
  private def isOfNow(name: String): Boolean = {
    val file = name.stripPrefix(".")
    file.startsWith(prefix) &&
    file.stripPrefix(prefix).takeWhile(_ != '-').toLongOption.exists(_ >= batch)
  }

  /**
   * Removes what a run of the batch has left that did not come to its end: the next run may have
   * other partitions. Files of later batches are of a checkpoint that was set back.
   *
   * To be called on the driver when the batch runs, and not when it is planned: a sink that has
   * committed the batch skips it, and then its files are all there.
   */
  def removeLeftovers(conf: Configuration): Unit = leftovers.once(origin.operator) {
    val folder = new Path(path)
    val system = folder.getFileSystem(conf)
    if (system.exists(folder)) {
      system
        .listStatus(folder)
        .map(_.getPath)
        .filter(file => isOfNow(file.getName))
        .foreach(system.delete(_, false))
    }
  }
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
