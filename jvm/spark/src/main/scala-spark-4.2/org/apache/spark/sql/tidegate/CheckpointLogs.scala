package org.apache.spark.sql.tidegate

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.streaming.Offset
import org.apache.spark.sql.execution.streaming.checkpointing.{CommitLog, OffsetMap, OffsetSeqLog}

/** The logs of a checkpoint, read before its query runs. */
final class CheckpointLogs(location: String, session: SparkSession) {
  private val offsets = new Path(location, "offsets")
  private val commits = new Path(location, "commits")

  /** The last committed batch. */
  def lastCommitted: Option[Long] = {
    if (!isThere(commits)) None
    else new CommitLog(session, commits.toString, readOnly = true).getLatestBatchId()
  }

  /** The last batch that was begun. */
  def lastBegun: Option[Long] =
    if (!isThere(offsets)) None else offsetLog.getLatestBatchId()

  /** The offsets at which the sources of a batch ended; a source that has none is left out. */
  def endOffsets(batchId: Long): Seq[Offset] =
    offsetLog.get(batchId).toSeq.flatMap {
      case named: OffsetMap => named.offsetsMap.values.toSeq.flatten
      case other            => other.offsets.flatten
    }

  /** Whether the log knows the sources of a batch by their names, and not by their places. */
  def isByName(batchId: Long): Boolean = offsetLog.get(batchId).exists(OffsetEntry(_).isByName)

  /** The file with the offsets of a batch. */
  def file(batchId: Long): String = new Path(offsets, batchId.toString).toString

  /** The file that has an offset with this text, of the last two batches. */
  def fileWith(json: String): Option[String] =
    lastBegun.toSeq
      .flatMap(id => Seq(id, id - 1))
      .find(endOffsets(_).exists(_.json == json))
      .map(file)

  private def offsetLog = new OffsetSeqLog(session, offsets.toString, readOnly = true)

  private def isThere(folder: Path): Boolean =
    folder.getFileSystem(SparkInternals.hadoopConf(session)).exists(folder)
}
