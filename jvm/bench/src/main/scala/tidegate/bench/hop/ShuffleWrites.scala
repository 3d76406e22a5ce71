package tidegate.bench.hop

import java.util.concurrent.atomic.LongAdder

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobEnd, SparkListenerTaskEnd}

/** Counts what the tasks of a context write to shuffles. */
private[hop] final class ShuffleWrites(context: SparkContext) extends SparkListener {
  private val rows = new LongAdder
  private val bytes = new LongAdder
  @volatile private var lastEndedJob = -1
  context.addSparkListener(this)

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit =
    Option(end.taskMetrics).foreach { metrics =>
      rows.add(metrics.shuffleWriteMetrics.recordsWritten)
      bytes.add(metrics.shuffleWriteMetrics.bytesWritten)
    }

  override def onJobEnd(end: SparkListenerJobEnd): Unit = lastEndedJob = end.jobId

  /** Rows and bytes since the last call, of all jobs that have ended. */
  def take(): (Long, Long) = {
    awaitEvents()
    (rows.sumThenReset(), bytes.sumThenReset())
  }

  /**
   * Events arrive late but in order: when the events of one more job have arrived, all earlier
   * events have.
   */
  private def awaitEvents(): Unit = {
    val job = context.parallelize(Seq(0), 1).foreachAsync(_ => ())
    Await.ready(job, Duration.Inf)
    while (lastEndedJob < job.jobIds.max) Thread.sleep(1)
  }
}
