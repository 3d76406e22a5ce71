package org.apache.spark.sql.tidegate

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.streaming.{Offset => OffsetV2}

/**
 * One batch in an offset log: where its sources ended.
 *
 * @param entry
 *   format 1 of the log has the offsets by the places of the sources; format 2 has them by the
 *   names of the sources, or else by their places as text
 */
final case class OffsetEntry(entry: OffsetFormats.Entry) {
  private val metadata: Option[OffsetFormats.Metadata] = OffsetFormats.metadata(entry)

  /** Spark's own watermark in the batch, in epoch ms; 0 if it had none. */
  def watermarkMs: Long = metadata.fold(0L)(_.batchWatermarkMs)

  /** The wall clock when the batch began, in epoch ms. */
  def timestampMs: Long = metadata.fold(0L)(_.batchTimestampMs)

  /** A setting that Spark keeps for the checkpoint, as it was when the batch began. */
  def setting(name: String): Option[String] = metadata.flatMap(_.conf.get(name))

  private val byName: Map[String, Option[OffsetV2]] = OffsetFormats.offsets(entry)

  private val places: Seq[String] = byName.keys.toSeq.indices.map(_.toString)

  /** Whether the log knows the sources by their names. */
  def isByName: Boolean = !places.forall(byName.contains)

  /** How many sources the batch had. */
  def size: Int = byName.size

  /** Whether the log knows a source by this name. */
  def isNamed(name: String): Boolean = byName.contains(name)

  /** The offsets; a source that had none is left out. */
  def all: Seq[OffsetV2] = byName.values.toSeq.flatten

  /**
   * The texts of the offsets, by the names of the sources, or else their places; a source that had
   * none is left out.
   */
  def offsets: Map[String, String] = byName.collect { case (name, Some(o)) => name -> o.json }

  /** The texts of the offsets. */
  def texts: Seq[String] = offsets.values.toSeq

  private def inOrder: Seq[Option[OffsetV2]] = places.map(byName)

  /** The same batch with one more source: under its name, or else at a place. */
  def withSource(name: String, place: Int, text: Option[String]): OffsetEntry = {
    val offset = text.map(SerializedOffset(_))
    if (isByName) changed(byName + (name -> offset), watermarkMs)
    else changed(inOrder.patch(place, Seq(offset), 0), watermarkMs)
  }

  /** The same batch without one of its sources, and with another watermark of Spark's own. */
  def withoutSource(name: String, place: Int, watermarkMs: Long): OffsetEntry =
    if (isByName) changed(byName - name, watermarkMs)
    else changed(inOrder.patch(place, Nil, 1), watermarkMs)

  /** The place of the source whose offset has such a text, in a log by places. */
  def placeOf(isText: String => Boolean): Option[Int] =
    if (isByName) None
    else Some(inOrder.indexWhere(_.exists(o => isText(o.json)))).filter(_ >= 0)

  private def changed(offsets: Seq[Option[OffsetV2]], watermarkMs: Long): OffsetEntry =
    changed(OffsetEntry.byPlace(offsets), watermarkMs)

  private def changed(offsets: Map[String, Option[OffsetV2]], watermarkMs: Long): OffsetEntry =
    OffsetEntry(OffsetFormats.changed(entry, offsets, watermarkMs))
}

object OffsetEntry {

  /** The offsets by their places. */
  def byPlace(offsets: Seq[Option[OffsetV2]]): Map[String, Option[OffsetV2]] =
    offsets.zipWithIndex.map { case (o, i) => i.toString -> o }.toMap

  /** The offsets in the order of their places. */
  def inOrder(offsets: Map[String, Option[OffsetV2]]): Seq[Option[OffsetV2]] =
    offsets.keys.toSeq.indices.map(i => offsets(i.toString))
}

/** An offset log, entry by entry. */
object OffsetEntries {

  /** The last batch in a folder. */
  def last(session: SparkSession, folder: Path): Option[OffsetEntry] =
    OffsetFormats.offsetLog(session, folder).getLatest().map { case (_, entry) =>
      OffsetEntry(entry)
    }

  /** All batches that a folder has, in their order. */
  def read(session: SparkSession, folder: Path): Seq[(Long, OffsetEntry)] =
    OffsetFormats
      .offsetLog(session, folder)
      .get(None, None)
      .toSeq
      .map { case (batchId, entry) => batchId -> OffsetEntry(entry) }

  /** Begins a batch after the last one, in which no source has rows. */
  def beginEmptyBatch(session: SparkSession, folder: Path, last: Long): Unit = {
    val log = new OffsetSeqLog(session, folder.toString)
    val key = "spark.sql.shuffle.partitions"
    val entry = log.get(last)
    log.purgeAfter(last - 1)
    // Spark starts after a batch that has not ended only if both say their number of partitions,
    // and in format 2 Spark leaves the number out.
    entry.map(OffsetFormats.withSetting(_, key, session.conf.get(key))).foreach { e =>
      log.add(last, e)
      log.add(last + 1, e)
    }
  }

  /** Writes a new log. */
  def write(session: SparkSession, folder: Path, entries: Seq[(Long, OffsetEntry)]): Unit = {
    val log = new OffsetSeqLog(session, folder.toString)
    entries.foreach { case (batchId, entry) => log.add(batchId, entry.entry) }
  }
}
