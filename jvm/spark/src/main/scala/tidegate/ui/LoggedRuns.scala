package tidegate.ui

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.tidegate.LoggedQuery
import tidegate.clock.{ClockSight, ClockTable, QueryIds, SightJson}
import tidegate.core.sight.{OperatorSight, SightEvent, WatermarkSight}

/**
 * The runs of an application that has ended, from the progress of its batches in the event log.
 *
 * @param queries
 *   asked when somebody opens a page
 */
private[ui] final class LoggedRuns(queries: () => Seq[LoggedQuery]) extends Runs {

  override def all: Seq[RunPicture] = queries().flatMap(LoggedRuns.picture)

  override def run(id: String): Option[RunPicture] =
    queries().filter(_.runId.toString == id).flatMap(LoggedRuns.picture).headOption

  override def none: String =
    "The event log has no batch of a query with a keyed watermark."

  override def unknown: String = "The event log has no batch of this run"
}

private[ui] object LoggedRuns {

  /** Whether a query has keyed watermarks, as far as its batches tell. */
  def isKeyed(query: LoggedQuery): Boolean =
    query.progress.exists(of(_, ClockSight.Metric).nonEmpty)

  private def of(progress: StreamingQueryProgress, metric: String): Option[String] =
    progress.sources
      .find(_.description == ClockTable.Name)
      .flatMap(source => Option(source.metrics))
      .flatMap(_.asScala.get(metric))

  private def picture(query: LoggedQuery): Option[RunPicture] = {
    val batches = query.progress.flatMap(of(_, ClockSight.Metric)).flatMap(SightJson.read)
    batches.lastOption.map { last =>
      RunPicture(
        QueryIds(query.name, query.id, query.runId),
        state(query),
        query.endedAtMs.getOrElse(last.wallClockMs),
        None,
        last.watermarks.toSeq.sortBy(_._1).map { case (name, w) => watermark(name, w) },
        last.operators.toSeq.sortBy(_._1).map { case (name, o) => operator(name, o) },
        batches,
        events(query)
      )
    }
  }

  private def state(query: LoggedQuery): String =
    if (query.hasFailed) "failed" else if (query.endedAtMs.isDefined) "ended" else "not ended"

  private def events(query: LoggedQuery): Seq[SightEvent] =
    query.progress.flatMap(of(_, ClockSight.EventsMetric)).flatMap(SightJson.readEvents)

  private def watermark(name: String, sight: WatermarkSight): WatermarkPicture = {
    val brief = sight.brief
    WatermarkPicture(
      name,
      brief.mark,
      brief.heldBackBy,
      brief.heldBackMs,
      SubstreamCounts(brief.active, brief.idle, brief.unread),
      sight.futureEvents.inAll,
      None,
      Map.empty
    )
  }

  private def operator(name: String, sight: OperatorSight): OperatorPicture = OperatorPicture(
    name,
    sight.view.mark,
    sight.view.heldBackBy,
    sight.view.evictionHeldBackBy,
    sight.lateRows.inAll,
    sight.lateRows.inBatch,
    sight.state,
    sight.nextEndMs
  )
}
