package tidegate.clock

import scala.annotation.tailrec
import scala.concurrent.duration._

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * Whether a checkpoint grows. A query that runs in another application leaves no other trace: Spark
 * locks no checkpoint.
 *
 * @param ms
 *   how long the watch continues after it is asked
 */
private[clock] final class CheckpointWatch(files: FileSystem, root: Path, ms: Long) {
  import CheckpointWatch._

  // As it was when the watch began.
  private val before = batches()

  /** Whether a batch begins or ends, from the start of this watch to `ms` from now. */
  def grows(): Boolean = grows(ms.millis.fromNow)

  @tailrec
  private def grows(until: Deadline): Boolean =
    if (batches() != before) true
    else if (until.isOverdue()) false
    else {
      Thread.sleep(Step.min(until.timeLeft max Duration.Zero).toMillis)
      grows(until)
    }

  private def batches(): Set[String] =
    for {
      log <- Logs
      folder = new Path(root, log)
      if files.exists(folder)
      file <- files.listStatus(folder)
      if file.getPath.getName.forall(_.isDigit)
    } yield s"$log/${file.getPath.getName}"
}

private object CheckpointWatch {
  private val Logs = Set("offsets", "commits")
  private val Step = 100.millis
}
