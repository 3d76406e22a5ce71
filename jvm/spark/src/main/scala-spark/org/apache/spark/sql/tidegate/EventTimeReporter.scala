package org.apache.spark.sql.tidegate

import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.codahale.metrics.Gauge
import org.apache.spark.internal.Logging
import org.apache.spark.sql.streaming.{SourceProgress, StreamingQueryProgress}

/**
 * Reports the progress of a query as Spark does, with event times and gauges that Spark does not
 * know.
 *
 * Spark takes `eventTime` from its own watermark. If a query had one only to show it, Spark would
 * work with it too: it would be in the checkpoint, start batches, and evict state. So the times go
 * into a progress that Spark has finished, before anybody has seen it: before it is the last
 * progress, before it is an event for listeners, and before the metrics read it.
 *
 * As long as there is no watermark, nobody sees one: not the 1970 with which Spark's own begins,
 * and not the 0 that its gauge makes of a watermark that is missing. The gauge is there from the
 * first watermark on.
 *
 * @param reports
 *   what is added
 */
private[tidegate] final class EventTimeReporter(query: MicroBatchExecution, reports: QueryReports)
    extends ProgressReporter(query.sparkSession, query.triggerClock, () => query.logicalPlan) {
  import EventTimeReporter._

  private val shown = new OnlyShown

  private val metrics = query.streamMetrics.metricRegistry

  private var hidden: Option[Gauge[_]] = Option(metrics.getGauges.get(GaugeName))
  hidden.foreach(_ => metrics.remove(GaugeName))

  private val ownGauges = new ShownGauges(metrics, reports.gauges, shown)

  override def updateProgress(progress: StreamingQueryProgress): Unit = {
    shown("What a batch did to time") {
      val told = reports.batchEnded(progress.batchId, progress.numInputRows)
      progress.sources.find(_.description == reports.source).foreach(_.metrics.putAll(told.asJava))
    }
    super.updateProgress(filled(progress, hasBatch = true))
    showGauge()
  }

  override def updateIdleness(
      id: UUID,
      runId: UUID,
      triggerStartMs: Long,
      progress: StreamingQueryProgress
  ): Unit = {
    super.updateIdleness(id, runId, triggerStartMs, filled(progress, hasBatch = false))
    showGauge()
  }

  private def filled(progress: StreamingQueryProgress, hasBatch: Boolean) = {
    progress.eventTime.remove(Watermark, formatTimestamp(0))
    shown("`eventTime` of the progress")(reports.times(hasBatch).foreach { case (name, ms) =>
      progress.eventTime.put(name, formatTimestamp(ms))
    })
    if (shown.orElse("The offset of the clock", true)(reports.hidesOffset)) hideOffset(progress)
    progress
  }

  /** Spark logs the progress, and gives it to listeners and to the event log. */
  private def hideOffset(progress: StreamingQueryProgress): Unit = {
    val place = progress.sources.indexWhere(_.description == reports.source)
    if (place >= 0) {
      val s = progress.sources(place)
      progress.sources(place) = new SourceProgress(
        s.description,
        null,
        null,
        null,
        s.numInputRows,
        s.inputRowsPerSecond,
        s.processedRowsPerSecond,
        s.metrics
      )
    }
  }

  /** The gauge reads the last progress, and Spark leaves out some of triggers without a batch. */
  private def showGauge(): Unit = {
    ownGauges.show()
    if (Option(lastProgress).exists(_.eventTime.containsKey(Watermark))) {
      hidden.foreach(gauge =>
        shown(s"The gauge $GaugeName") {
          metrics.register[Gauge[_]](GaugeName, gauge): Unit
        }
      )
      hidden = None
    }
  }
}

object EventTimeReporter extends Logging {
  private val Watermark = "watermark"
  private val GaugeName = "eventTime-watermark"

  /** The first time that Spark's format can show: it has four digits or more, and no sign. */
  val FirstMs: Long = java.time.Instant.parse("0001-01-01T00:00:00Z").toEpochMilli

  /**
   * Lets a query report event times. To be called while Spark makes the query's sources: what runs
   * its batches takes the reporter from the query, and is made later.
   *
   * Spark has no setter for the reporter. Without it all is well but the figures, so a Java that
   * does not let the field be set ends no query.
   */
  def install(query: MicroBatchExecution, field: String = "progressReporter")(
      reports: QueryReports
  ): Unit =
    try {
      val reporter = classOf[StreamExecution].getDeclaredField(field)
      reporter.setAccessible(true)
      reporter.set(query, new EventTimeReporter(query, reports))
    } catch {
      case NonFatal(e) =>
        logWarning(
          "`eventTime` of the progress, the gauges of event time and tidegate.progress(query) " +
            s"stay empty, because Spark's reporter cannot be replaced: $e. Ask " +
            "tidegate.watermarks(query) instead."
        )
    }
}
