package tidegate.snapshot

import java.util.concurrent.atomic.AtomicLong

/** How far a copy is; may be read while the copy goes on. */
private[tidegate] final class CopyProgress {
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
    val _ = copied.addAndGet(bytes)
  }
}
