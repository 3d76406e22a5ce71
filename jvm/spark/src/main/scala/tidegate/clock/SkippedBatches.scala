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
 * The file of a checkpoint with the watermarks to which its last batches have come, beyond what the
 * offset log has of them.
 *
 *   - A batch whose rows move time within it evicts up to these watermarks. They are written before
 *     a task may use them, as the offset log is written before a batch. The next offset has them
 *     too.
 *   - A batch that was left out would have written an offset with these watermarks. Without the
 *     file, or with an older one, fewer rows are late after a restart. So the file is written once
 *     in a while, and when the query stops, although time may move at every trigger.
 *
 * The file has the last few batches, for a copy of the checkpoint that ends with one of them. There
 * are two files, written by turns: a kill while one is written leaves the other.
 */
private[tidegate] final class SkippedBatches(location: String, session: SparkSession)
    extends Logging {
  import SkippedBatches._

  private lazy val files =
    CheckpointFileManager.create(new Path(location), SparkInternals.hadoopConf(session))

  private lazy val found: Option[Written] = Files.flatMap(read).maxByOption(_.number)

  private def read(name: String): Option[Written] = {
    val file = new Path(location, name)
    try {
      val in = files.open(file)
      try
        SkippedTimes.read(IOUtils.toString(in, UTF_8)).map { case (number, batches) =>
          Written(name, number, batches)
        }
      finally in.close()
    } catch {
      case _: FileNotFoundException                     => None
      case e @ (_: ChecksumException | _: EOFException) =>
        logWarning(
          s"$file is damaged, perhaps because the driver was killed while it wrote the file. " +
            "The query continues from its last batch: fewer rows may be late.",
          e
        )
        None
    }
  }

  private var written = Option.empty[Written]
  private var writtenAtMs = Option.empty[Long]
  private var waiting = Option.empty[SkippedTimes]

  private def latest: Option[Written] = written.orElse(found)

  private def inFile: Seq[SkippedTimes] = latest.fold(Seq.empty[SkippedTimes])(_.batches)

  /**
   * The watermarks to which a batch has come within itself, or those of a batch that was left out
   * after this one, and before any other.
   *
   * @param end
   *   the state at the end of this batch
   */
  def after(batchId: Long, end: ClockState): Option[ClockTimes] =
    inFile.find(_.isOf(batchId, end)).map(_.times)

  /**
   * Keeps the watermarks of a batch that was left out after this one, which ended so.
   *
   * @param nowMs
   *   the wall clock, in epoch ms
   */
  def put(batchId: Long, end: ClockState, times: ClockTimes, nowMs: Long): Unit = {
    waiting = Some(SkippedTimes(batchId, end.savedAtMs, times)).filterNot(inFile.contains)
    if (!writtenAtMs.exists(at => math.abs(nowMs - at) < PauseMs)) {
      if (waiting.isDefined) writtenAtMs = Some(nowMs)
      write()
    }
  }

  /** Keeps the watermarks to which a batch has come within itself, at once. */
  def putNow(batchId: Long, end: ClockState, times: ClockTimes): Unit = {
    waiting = Some(SkippedTimes(batchId, end.savedAtMs, times))
    write()
  }

  /** Writes what waits. A query continues without the file, so it stops without an error too. */
  def close(): Unit =
    try write()
    catch { case NonFatal(e) => logWarning(s"${Files.head} cannot be written in $location.", e) }

  private def write(): Unit = {
    waiting.foreach { last =>
      val before = latest
      val next = Written(
        Files.find(name => !before.exists(_.name == name)).get,
        before.fold(0L)(_.number) + 1,
        last +: inFile.filter(_.batchId < last.batchId).take(MostEarlier)
      )
      val file = new Path(location, next.name)
      // Not replaced: some stores cannot, and a local file would for a moment have the checksum of
      // the former one.
      files.delete(file)
      val out = files.createAtomic(file, overwriteIfPossible = true)
      try {
        out.write(SkippedTimes.text(next.number, next.batches).getBytes(UTF_8))
        out.close()
      } catch {
        case e: Throwable =>
          out.cancel()
          throw e
      }
      written = Some(next)
    }
    waiting = None
  }
}

private[tidegate] object SkippedBatches {
  val Files: Seq[String] = Seq("tidegate.skipped", "tidegate.skipped.2")

  /** How long the file stays as it is at least, while batches are left out, in ms. */
  private val PauseMs = 1000L

  /** How many batches before the last one a file has. */
  private val MostEarlier = 9

  /** What a file has; of the two, the one with the higher number is the later one. */
  private final case class Written(name: String, number: Long, batches: Seq[SkippedTimes])
}
