package tidegate.bench.held

import java.lang.management.ManagementFactory
import java.util.concurrent.{CountDownLatch, TimeUnit}

import com.sun.management.OperatingSystemMXBean
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._

/**
 * The processor time of this process when the batches of one query end. Spark tells of an end a
 * moment later; these moments are all alike, so that they do not matter to a difference.
 */
private[held] final class BatchClock extends StreamingQueryListener {
  private val process = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean])
  private val ended = new CountDownLatch(1)
  @volatile private var nanos = Map.empty[Long, Long]

  /** From the end of one batch to that of another, when the query has ended. */
  def seconds(from: Long, to: Long): Double = {
    require(ended.await(10, TimeUnit.SECONDS), "Spark has not told that the query has ended")
    (nanos(to) - nanos(from)) / 1e9
  }

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()

  override def onQueryProgress(event: QueryProgressEvent): Unit =
    nanos += event.progress.batchId -> process.getProcessCpuTime

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ended.countDown()
}
