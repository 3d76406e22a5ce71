package tidegate.clock

import java.io.{EOFException, FileNotFoundException}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import org.apache.commons.io.IOUtils
import org.apache.hadoop.fs.{ChecksumException, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{CheckpointFileManager, SparkInternals}
import tidegate.core.clock.{ClockState, ClockTimes, SkippedTimes}

/**
 * The file of a checkpoint with the watermarks of the last batch that was left out. It takes the
 * place of the offset that such a batch would have written, at a small part of its cost.
 *
 * Without the file, or with an older one, fewer rows are late after a restart. So the file is
 * written once in a while, and when the query stops, although time may move at every trigger.
 */
private[clock] final class SkippedBatches(location: String, session: SparkSession) extends Logging {
  private val file = new Path(location, SkippedBatches.File)
  private lazy val files =
    CheckpointFileManager.create(new Path(location), SparkInternals.hadoopConf(session))
  private var written = Option.empty[SkippedTimes]
  private var writtenAtMs = Option.empty[Long]
  private var waiting = Option.empty[SkippedTimes]

  /**
   * The watermarks of a batch that was left out after this one, and before any other.
   *
   * @param end
   *   the state at the end of this batch
   */
  def after(batchId: Long, end: ClockState): Option[ClockTimes] = {
    written =
      try {
        val in = files.open(file)
        try SkippedTimes.read(IOUtils.toString(in, UTF_8))
        finally in.close()
      } catch {
        case _: FileNotFoundException                     => None
        case e @ (_: ChecksumException | _: EOFException) =>
          logWarning(
            s"$file is damaged, perhaps because the driver was killed while it wrote the file. " +
              "The query goes on from its last batch: fewer rows may be late.",
            e
          )
          None
      }
    written.filter(w => w.batchId == batchId && w.savedAtMs == end.savedAtMs).map(_.times)
  }

  /**
   * Keeps the watermarks of a batch that was left out after this one, which ended so.
   *
   * @param nowMs
   *   the wall clock, in epoch ms
   */
  def put(batchId: Long, end: ClockState, times: ClockTimes, nowMs: Long): Unit = {
    waiting = Some(SkippedTimes(batchId, end.savedAtMs, times)).filterNot(written.contains)
    if (!writtenAtMs.exists(at => math.abs(nowMs - at) < SkippedBatches.PauseMs)) {
      if (waiting.isDefined) writtenAtMs = Some(nowMs)
      write()
    }
  }

  /** Writes what waits. A query continues without the file, so it stops without an error too. */
  def close(): Unit =
    try write()
    catch { case NonFatal(e) => logWarning(s"$file cannot be written.", e) }

  private def write(): Unit = {
    waiting.foreach { skipped =>
      // Not replaced: some stores cannot, and a local file would for a moment have the checksum of
      // the former one.
      files.delete(file)
      val out = files.createAtomic(file, overwriteIfPossible = true)
      try {
        out.write(skipped.text.getBytes(UTF_8))
        out.close()
      } catch {
        case e: Throwable =>
          out.cancel()
          throw e
      }
      written = waiting
    }
    waiting = None
  }
}

private[clock] object SkippedBatches {
  val File = "tidegate.skipped"

  /** How long the file stays as it is at least, while the query runs, in ms. */
  private val PauseMs = 1000L
}
