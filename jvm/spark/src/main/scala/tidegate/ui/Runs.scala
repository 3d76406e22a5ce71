package tidegate.ui

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.tidegate.LoggedQuery
import tidegate.clock.{ClockTable, KnownQueries, TimeReports}
import tidegate.core.figures.{FiguresJson, QueryFigures, QueryIds, RunState}

/** The runs that the pages show. */
private[ui] trait Runs {

  /** All of them; those that run come first. */
  def all: Seq[QueryFigures]

  /** One of them by its id. */
  def run(id: String): Option[QueryFigures]

  /** What is true of a page without runs, or of a run that is not there. */
  def none: String

  def unknown: String
}

/** The runs of this application, as they are now. */
private[ui] object KnownRuns extends Runs {

  override def all: Seq[QueryFigures] = KnownQueries.everywhere

  override def run(id: String): Option[QueryFigures] = KnownQueries.run(id)

  override def none: String = "No query with a keyed watermark has run in this application."

  override def unknown: String =
    "No query has had this run in this application, or it was too long ago"
}

/**
 * The runs of an application that has ended, from the progress of its batches in the event log.
 *
 * @param queries
 *   asked when somebody opens a page
 */
private[ui] final class LoggedRuns(queries: () => Seq[LoggedQuery]) extends Runs {

  override def all: Seq[QueryFigures] = queries().flatMap(LoggedRuns.figures)

  override def run(id: String): Option[QueryFigures] =
    queries().filter(_.runId.toString == id).flatMap(LoggedRuns.figures).headOption

  override def none: String =
    "The event log has no batch of a query with a keyed watermark."

  override def unknown: String = "The event log has no batch of this run"
}

private[ui] object LoggedRuns {

  /** Whether a query has keyed watermarks, as far as its batches tell. */
  def isKeyed(query: LoggedQuery): Boolean =
    query.progress.exists(of(_, TimeReports.Metric).nonEmpty)

  private def of(progress: StreamingQueryProgress, metric: String): Option[String] =
    progress.sources
      .find(_.description == ClockTable.Name)
      .flatMap(source => Option(source.metrics))
      .flatMap(_.asScala.get(metric))

  private def figures(query: LoggedQuery): Option[QueryFigures] = {
    val batches = query.progress.flatMap(of(_, TimeReports.Metric)).flatMap(FiguresJson.readBatch)
    batches.lastOption.map { last =>
      QueryFigures(
        QueryIds(query.name, query.id, query.runId),
        if (query.hasFailed) RunState.Failed("")
        else if (query.endedAtMs.isDefined) RunState.Ended
        else RunState.NotEnded,
        query.endedAtMs.getOrElse(last.wallClockMs),
        last.watermarks,
        last.operators,
        batches,
        query.progress.flatMap(of(_, TimeReports.EventsMetric)).flatMap(FiguresJson.readEvents)
      )
    }
  }
}
