package org.apache.spark.sql.tidegate

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.streaming.Offset
import org.apache.spark.sql.internal.SQLConf

/** The logs of a checkpoint, read before its query runs. */
final class CheckpointLogs(location: String, session: SparkSession) {
  private val offsets = new Path(location, "offsets")
  private val commits = new Path(location, "commits")
  private val metadata = new Path(location, "metadata")

  /** The last committed batch. */
  def lastCommitted: Option[Long] = {
    if (!isThere(commits)) None
    else commitLog.getLatestBatchId()
  }

  /** The last batch that was begun. */
  def lastBegun: Option[Long] =
    if (!isThere(offsets)) None else offsetLog.getLatestBatchId()

  /** The offsets at which the sources of a batch ended; a source that has none is left out. */
  def endOffsets(batchId: Long): Seq[Offset] =
    offsetLog.get(batchId).toSeq.flatMap(OffsetEntry(_).all)

  /** Whether the log knows the sources of a batch by their names, and not by their places. */
  def isByName(batchId: Long): Boolean = offsetLog.get(batchId).exists(OffsetEntry(_).isByName)

  /** The texts of the same, by the names of the sources, or else their places. */
  def offsets(batchId: Long): Map[String, String] =
    offsetLog.get(batchId).fold(Map.empty[String, String])(OffsetEntry(_).offsets)

  /** Spark's own watermark in a batch, in epoch ms; 0 if it had none. */
  def watermarkMs(batchId: Long): Long = offsetLog.get(batchId).fold(0L)(OffsetEntry(_).watermarkMs)

  /** The wall clock when a batch began, in epoch ms; 0 if the log lacks the batch. */
  def timestampMs(batchId: Long): Long =
    offsetLog.get(batchId).fold(0L)(OffsetEntry(_).timestampMs)

  /** The class of the state stores of a batch; `None` if the batch does not say. */
  def stateStoreProvider(batchId: Long): Option[String] =
    setting(batchId, SQLConf.STATE_STORE_PROVIDER_CLASS.key)

  /** A setting of Spark with which a batch ran; `None` if the batch does not say. */
  def setting(batchId: Long, key: String): Option[String] =
    offsetLog.get(batchId).flatMap(OffsetEntry(_).setting(key))

  /** The ids of the states after a committed batch, of all operators; empty in format 1. */
  def stateIds(batchId: Long): Set[String] =
    commitLog
      .get(batchId)
      .flatMap(_.stateUniqueIds)
      .fold(Set.empty[String])(_.values.flatten.flatten.toSet)

  /** The id of the query; `None` if there is no checkpoint. */
  def queryId: Option[String] =
    StreamMetadata.read(metadata, SparkInternals.hadoopConf(session)).map(_.id)

  /** Gives the checkpoint to a query with this id. */
  def writeQueryId(id: UUID): Unit =
    StreamMetadata.write(StreamMetadata(id.toString), metadata, SparkInternals.hadoopConf(session))

  /** The file with the offsets of a batch. */
  def file(batchId: Long): String = new Path(offsets, batchId.toString).toString

  /** The file that has an offset with this text, of the last two batches. */
  def fileWith(json: String): Option[String] =
    lastBegun.toSeq
      .flatMap(id => Seq(id, id - 1))
      .find(endOffsets(_).exists(_.json == json))
      .map(file)

  private def commitLog = OffsetFormats.commitLog(session, commits)

  private def offsetLog = OffsetFormats.offsetLog(session, offsets)

  private def isThere(folder: Path): Boolean =
    folder.getFileSystem(SparkInternals.hadoopConf(session)).exists(folder)
}
