package tidegate.clock

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.commons.io.IOUtils
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{CheckpointFileManager, SparkInternals}
import tidegate.core.clock.{ClockState, ClockTimes, SkippedTimes}

/**
 * The file of a checkpoint with the watermarks of the last batch that was left out. It takes the
 * place of the offset that such a batch would have written, at a small part of its cost.
 */
private[clock] final class SkippedBatches(location: String, session: SparkSession) {
  private val file = new Path(location, SkippedBatches.File)
  private lazy val files =
    CheckpointFileManager.create(new Path(location), SparkInternals.hadoopConf(session))
  private var written = Option.empty[SkippedTimes]

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
      } catch { case _: FileNotFoundException => None }
    written.filter(w => w.batchId == batchId && w.savedAtMs == end.savedAtMs).map(_.times)
  }

  /** Keeps the watermarks of a batch that was left out after this one, which ended so. */
  def put(batchId: Long, end: ClockState, times: ClockTimes): Unit = {
    val skipped = SkippedTimes(batchId, end.savedAtMs, times)
    if (!written.contains(skipped)) {
      val out = files.createAtomic(file, overwriteIfPossible = true)
      try {
        out.write(skipped.text.getBytes(UTF_8))
        out.close()
      } catch {
        case e: Throwable =>
          out.cancel()
          throw e
      }
      written = Some(skipped)
    }
  }
}

private[clock] object SkippedBatches {
  val File = "tidegate.skipped"
}
