package tidegate.clock

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.SnapshotErrors

/** The files by which a folder shows that it is a snapshot, or the beginning of a copy. */
private[tidegate] object SnapshotMarks {

  /** What a snapshot says of itself; written last. */
  val Manifest = "tidegate.snapshot"

  /** There as long as files are copied into the folder. */
  val Begun = "tidegate.snapshot.begun"

  /** @throws AnalysisException if a query is to run on a snapshot, or on a part of a copy */
  def refuse(location: String, session: SparkSession): Unit = {
    val root = new Path(location)
    val files = root.getFileSystem(SparkInternals.hadoopConf(session))
    if (files.exists(new Path(root, Manifest))) throw SnapshotErrors.asCheckpoint(location)
    if (files.exists(new Path(root, Begun))) throw SnapshotErrors.cutOff(location)
  }
}
