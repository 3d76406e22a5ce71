package tidegate.snapshot

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.SnapshotErrors

/** The snapshots of a folder. */
private[tidegate] object Snapshots extends Logging {

  /** See [[SnapshotFolder.verify]]. */
  def verify(location: String, session: SparkSession): SnapshotInfo = {
    val folder = new SnapshotFolder(location, session)
    val _ = folder.verify()
    SnapshotInfo.of(folder)
  }

  /** The oldest first; exports that were cut off come before all others. */
  def list(location: String, session: SparkSession): Seq[SnapshotInfo] = {
    val root = new Path(location)
    val files = root.getFileSystem(SparkInternals.hadoopConf(session))
    if (!files.exists(root) || files.getFileStatus(root).isFile)
      throw SnapshotErrors.noSnapshot(location)
    files
      .listStatus(root)
      .toSeq
      .filter(_.isDirectory)
      .map(status => new SnapshotFolder(status.getPath.toString, session))
      .filter(folder => folder.isComplete || folder.isCutOff)
      .map(SnapshotInfo.of)
      .sortBy(info => (info.exportedAt, info.path))
  }

  /**
   * Deletes the oldest complete snapshots.
   *
   * @param keep
   *   how many stay
   * @return
   *   those that stay, and exports that were cut off
   */
  def prune(location: String, keep: Int, session: SparkSession): Seq[SnapshotInfo] = {
    if (keep < 1) throw SnapshotErrors.keep(keep)
    val (complete, others) = list(location, session).partition(_.isComplete)
    val (old, kept) = complete.splitAt(complete.size - keep)
    old.foreach { info =>
      new SnapshotFolder(info.path, session).delete()
      logInfo(s"Deleted the snapshot ${info.path}: $keep newer ones stay.")
    }
    others ++ kept
  }
}
