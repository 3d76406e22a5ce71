package tidegate.snapshot

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.SparkInternals

/**
 * The log in which a sink of files notes which files are in its result. Without the log, Spark's
 * sink cannot go on with the number of a later batch.
 */
private[snapshot] object SinkLog {

  /** The folder of the log in the folder of the sink. */
  private val Folder = "_spark_metadata"

  /** The folder of the log in a snapshot. */
  val InSnapshot = "sink"

  /** The log in the folder of a sink. */
  def in(sink: String): Path = new Path(sink, Folder)

  /** Whether a sink of files writes to a folder. */
  def isIn(sink: String, session: SparkSession): Boolean = {
    val folder = in(sink)
    folder.getFileSystem(SparkInternals.hadoopConf(session)).exists(folder)
  }

  /** What a committed batch has noted, and the batches before. */
  def files(sink: String, batchId: Long, session: SparkSession): Seq[FileToCopy] = {
    val folder = in(sink)
    val files = folder.getFileSystem(SparkInternals.hadoopConf(session))
    val all = if (files.exists(folder)) files.listStatus(folder).toSeq else Nil
    for {
      file <- all
      name = file.getPath.getName
      if name.stripSuffix(".compact").toLongOption.exists(_ <= batchId)
    } yield FileToCopy(file.getPath, s"${InSnapshot}/$name", file.getLen)
  }
}
