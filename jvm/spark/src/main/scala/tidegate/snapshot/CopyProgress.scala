package tidegate.snapshot

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.internal.Logging

/**
 * How far a copy is; may be read while the copy goes on. The log has a line for each tenth of a
 * large copy.
 */
private[tidegate] class CopyProgress extends Logging {
  import CopyProgress._

  private val copied = new AtomicLong()
  @volatile private var total = 0L

  def copiedBytes: Long = copied.get

  /** 0 as long as it is not known. */
  def totalBytes: Long = total

  private[snapshot] def begin(bytes: Long): Unit = {
    copied.set(0)
    total = bytes
  }

  private[snapshot] def add(bytes: Long): Unit = {
    val now = copied.addAndGet(bytes)
    line(now - bytes, now, total).foreach(logInfo(_))
  }
}

private[snapshot] object CopyProgress {
  private val Tenths = 10L
  private val Percent = 100L

  /** A smaller copy ends at once. */
  private val LargeBytes = 1L << 24

  /** What the log says when so many bytes of a copy are there: nothing in the middle of a tenth. */
  def line(before: Long, now: Long, total: Long): Option[String] = {
    def tenth(bytes: Long) = if (total > 0) (bytes * Tenths / total).min(Tenths) else 0L
    Option.when(total >= LargeBytes && tenth(now) > tenth(before)) {
      s"Copied ${tenth(now) * Percent / Tenths} % of $total bytes."
    }
  }
}
