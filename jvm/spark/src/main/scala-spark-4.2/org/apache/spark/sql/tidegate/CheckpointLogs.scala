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
    val files = commits.getFileSystem(SparkInternals.hadoopConf(session))
    if (!files.exists(commits)) None
    else new CommitLog(session, commits.toString, readOnly = true).getLatestBatchId()
  }

  /** The offsets at which the sources of a batch ended; a source that has none is left out. */
  def endOffsets(batchId: Long): Seq[Offset] =
    new OffsetSeqLog(session, offsets.toString, readOnly = true).get(batchId).toSeq.flatMap {
      case named: OffsetMap => named.offsetsMap.values.toSeq.flatten
      case other            => other.offsets.flatten
    }
}
