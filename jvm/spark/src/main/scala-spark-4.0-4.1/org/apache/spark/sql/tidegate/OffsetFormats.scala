package org.apache.spark.sql.tidegate

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.streaming.{Offset => OffsetV2, SparkDataStream}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation

/** The format of an offset log: by the places of its sources. */
object OffsetFormats {
  type Entry = OffsetSeq
  type Metadata = OffsetSeqMetadata

  def offsetLog(session: SparkSession, folder: Path): OffsetSeqLog =
    new OffsetSeqLog(session, folder.toString)

  def commitLog(session: SparkSession, folder: Path): CommitLog =
    new CommitLog(session, folder.toString)

  def metadata(entry: Entry): Option[Metadata] = entry.metadata

  /** The offsets by their places. */
  def offsets(entry: Entry): Map[String, Option[OffsetV2]] = OffsetEntry.byPlace(entry.offsets)

  /** An entry in the same format. */
  def changed(entry: Entry, offsets: Map[String, Option[OffsetV2]], watermarkMs: Long): Entry =
    new OffsetSeq(
      OffsetEntry.inOrder(offsets),
      entry.metadata.map(_.copy(batchWatermarkMs = watermarkMs))
    )

  /** An entry with a setting: these Sparks always have all. */
  def withSetting(entry: Entry, key: String, value: String): Entry = {
    val _ = (key, value)
    entry
  }

  /** The offset of each source of a query. */
  def progress(query: MicroBatchExecution, entry: Entry): StreamProgress =
    entry.toStreamProgress(inOrder(query))

  /** The sources of a query by their places. */
  def sources(query: MicroBatchExecution): Map[String, SparkDataStream] =
    inOrder(query).zipWithIndex.map { case (source, i) => i.toString -> source }.toMap

  private def inOrder(query: MicroBatchExecution): Seq[SparkDataStream] =
    query.logicalPlan.collect {
      case r: StreamingExecutionRelation        => r.source
      case r: StreamingDataSourceV2ScanRelation => r.stream
    }
}
