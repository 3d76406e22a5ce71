package tidegate.bench

import java.lang.management.{ManagementFactory, MemoryType}
import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicLong
import javax.management.openmbean.CompositeData
import javax.management.{Notification, NotificationEmitter}

import scala.jdk.CollectionConverters._

import com.sun.management.GarbageCollectionNotificationInfo

/** The peak memory of this process since `watch` was called. */
private[bench] object ProcessMemory {
  private val status = Paths.get("/proc/self/status")
  private val afterCollection = new AtomicLong()

  private val heapPools = ManagementFactory.getMemoryPoolMXBeans.asScala
    .filter(_.getType == MemoryType.HEAP)
    .map(_.getName)
    .toSet

  /** Must be called once, before the work: earlier collections are not seen. */
  def watch(): Unit = ManagementFactory.getGarbageCollectorMXBeans.asScala.foreach {
    case collector: NotificationEmitter =>
      collector.addNotificationListener((n: Notification, _: Any) => collected(n), null, null)
    case _ => ()
  }

  /**
   * The peak resident memory, in MB; 0 if the system does not report it. The value depends on the
   * heap limit as much as on the work.
   */
  def peakRssMb: Long =
    if (!Files.exists(status)) 0
    else {
      val peak = Files.readAllLines(status).asScala.find(_.startsWith("VmHWM"))
      peak.fold(0L)(_.filter(_.isDigit).toLong / 1024)
    }

  /**
   * The largest heap after a garbage collection, in MB: objects in use, and garbage that the
   * collection did not examine.
   */
  def peakHeapMb: Long = afterCollection.get >> 20

  private def collected(notification: Notification): Unit =
    notification.getUserData match {
      case data: CompositeData =>
        val left = GarbageCollectionNotificationInfo
          .from(data)
          .getGcInfo
          .getMemoryUsageAfterGc
          .asScala
          .collect { case (pool, usage) if heapPools(pool) => usage.getUsed }
        afterCollection.accumulateAndGet(left.sum, (a, b) => a max b)
      case _ => ()
    }
}
