package org.apache.spark.sql.tidegate

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.{
  OffsetMap,
  OffsetSeq,
  OffsetSeqBase,
  OffsetSeqLog,
  OffsetSeqMetadata
}
import org.apache.spark.sql.execution.streaming.runtime.SerializedOffset

/**
 * One batch in an offset log: where its sources ended.
 *
 * @param entry
 *   with the offsets by place (format 1 of the log) or by name (format 2)
 */
final case class OffsetEntry(entry: OffsetSeqBase) {

  /** Spark's own watermark in the batch, in epoch ms; 0 if it had none. */
  def watermarkMs: Long = entry.metadataOpt.fold(0L)(_.batchWatermarkMs)

  /** The wall clock when the batch began, in epoch ms. */
  def timestampMs: Long = entry.metadataOpt.fold(0L)(_.batchTimestampMs)

  /** How many sources the batch had; `None` if the log knows them by name. */
  def size: Option[Int] = entry match {
    case _: OffsetMap => None
    case other        => Some(other.offsets.size)
  }

  /** Whether the log knows a source by this name. */
  def isNamed(name: String): Boolean = entry match {
    case map: OffsetMap => map.offsetsMap.contains(name)
    case _              => false
  }

  /** The texts of the offsets; a source that had none is left out. */
  def texts: Seq[String] = entry match {
    case map: OffsetMap => map.offsetsMap.values.flatten.map(_.json).toSeq
    case other          => other.offsets.flatten.map(_.json)
  }

  /** The same batch with one more source: under its name, or else at a place. */
  def withSource(name: String, place: Int, text: Option[String]): OffsetEntry = {
    val offset = text.map(SerializedOffset(_))
    OffsetEntry(entry match {
      case map: OffsetMap => map.copy(offsetsMap = map.offsetsMap + (name -> offset))
      case other          => OffsetSeq(other.offsets.patch(place, Seq(offset), 0), metadata)
    })
  }

  /** The same batch without one of its sources, and with another watermark of Spark's own. */
  def withoutSource(name: String, place: Int, watermarkMs: Long): OffsetEntry =
    OffsetEntry(entry match {
      case map: OffsetMap =>
        OffsetMap(map.offsetsMap - name, map.metadata.copy(batchWatermarkMs = watermarkMs))
      case other =>
        val atWatermark = metadata.map(_.copy(batchWatermarkMs = watermarkMs))
        OffsetSeq(other.offsets.patch(place, Nil, 1), atWatermark)
    })

  /** Of a log by places. */
  private def metadata: Option[OffsetSeqMetadata] =
    entry.metadataOpt.collect { case m: OffsetSeqMetadata => m }

  /** The place of the source whose offset has such a text, in a log by places. */
  def placeOf(isText: String => Boolean): Option[Int] = entry match {
    case seq: OffsetSeq =>
      Some(seq.offsets.indexWhere(_.exists(o => isText(o.json)))).filter(_ >= 0)
    case _ => None
  }
}

/** An offset log, entry by entry. */
object OffsetEntries {

  /** All batches that a folder has, in their order. */
  def read(session: SparkSession, folder: Path): Seq[(Long, OffsetEntry)] =
    new OffsetSeqLog(session, folder.toString, readOnly = true)
      .get(None, None)
      .toSeq
      .map { case (batchId, entry) => batchId -> OffsetEntry(entry) }

  /** Writes a new log. */
  def write(session: SparkSession, folder: Path, entries: Seq[(Long, OffsetEntry)]): Unit = {
    val log = new OffsetSeqLog(session, folder.toString)
    entries.foreach { case (batchId, entry) => log.add(batchId, entry.entry) }
  }
}
