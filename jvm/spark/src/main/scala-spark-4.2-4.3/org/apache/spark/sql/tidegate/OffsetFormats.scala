package org.apache.spark.sql.tidegate

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.streaming.{Offset => OffsetV2, SparkDataStream}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming.checkpointing.{
  CommitLog,
  OffsetMap,
  OffsetSeq,
  OffsetSeqBase,
  OffsetSeqLog,
  OffsetSeqMetadata,
  OffsetSeqMetadataBase
}

/** The two formats that an offset log may have: by the places of its sources, or by their names. */
object OffsetFormats {
  type Entry = OffsetSeqBase
  type Metadata = OffsetSeqMetadataBase

  /** To be read only. */
  def offsetLog(session: SparkSession, folder: Path): OffsetSeqLog =
    new OffsetSeqLog(session, folder.toString, readOnly = true)

  /** To be read only. */
  def commitLog(session: SparkSession, folder: Path): CommitLog =
    new CommitLog(session, folder.toString, readOnly = true)

  def metadata(entry: Entry): Option[Metadata] = entry.metadataOpt

  /** The offsets by the names of their sources, or else by their places. */
  def offsets(entry: Entry): Map[String, Option[OffsetV2]] = entry match {
    case map: OffsetMap => map.offsetsMap
    case other          => OffsetEntry.byPlace(other.offsets)
  }

  /** An entry in the same format. */
  def changed(entry: Entry, offsets: Map[String, Option[OffsetV2]], watermarkMs: Long): Entry =
    entry match {
      case map: OffsetMap =>
        OffsetMap(offsets, map.metadata.copy(batchWatermarkMs = watermarkMs))
      case other =>
        val metadata = other.metadataOpt.collect { case m: OffsetSeqMetadata =>
          m.copy(batchWatermarkMs = watermarkMs)
        }
        OffsetSeq(OffsetEntry.inOrder(offsets), metadata)
    }

  /** An entry with a setting, if it lacks the setting. */
  def withSetting(entry: Entry, key: String, value: String): Entry = entry match {
    case map: OffsetMap =>
      val conf = Map(key -> value) ++ map.metadata.conf
      OffsetMap(map.offsetsMap, map.metadata.copy(conf = conf))
    // Format 1 always has it.
    case other => other
  }

  /** The offset of each source of a query. */
  def progress(query: MicroBatchExecution, entry: Entry): StreamProgress =
    entry.toStreamProgress(named(query).map(_._1), sources(query))

  /** The sources of a query by all that a log may call them: their places, and their names. */
  def sources(query: MicroBatchExecution): Map[String, SparkDataStream] = {
    val all = named(query)
    val byPosition = all.zipWithIndex.map { case ((source, _), i) => i.toString -> source }
    val byName = all.flatMap { case (source, name) => name.nameOpt.map(_ -> source) }
    (byPosition ++ byName).toMap
  }

  private def named(query: MicroBatchExecution) = query.logicalPlan.collect {
    case r: StreamingExecutionRelation        => r.source -> r.sourceIdentifyingName
    case r: StreamingDataSourceV2ScanRelation => r.stream -> r.relation.sourceIdentifyingName
  }
}
