package org.apache.spark.sql.tidegate

import java.util.UUID

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.sql.execution.ui.StreamingQueryStatusStore
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.SparkUI

/**
 * A run of a query in the event log of an application.
 *
 * @param endedAtMs
 *   the wall clock when it ended, in epoch ms; `None` if the log does not have its end
 * @param progress
 *   of its last batches, the oldest first
 */
final case class LoggedQuery(
    name: Option[String],
    id: UUID,
    runId: UUID,
    endedAtMs: Option[Long],
    hasFailed: Boolean,
    progress: Seq[StreamingQueryProgress]
)

/**
 * A tab of the history server, for applications whose queries Spark has found in the event log. The
 * server finds subclasses by `META-INF/services`.
 */
abstract class HistoryTab extends AppHistoryServerPlugin {

  def prefix: String

  def title: String

  /** Whether a query belongs in the tab. */
  def isShown(query: LoggedQuery): Boolean

  /** @param queries asked when somebody opens a page */
  def pages(queries: () => Seq[LoggedQuery]): Seq[UiPage]

  def files: Seq[UiFile]

  /** Spark's own plugin keeps the progress of queries. */
  final override def createListeners(
      conf: SparkConf,
      store: ElementTrackingStore
  ): Seq[SparkListener] = Nil

  final override def setupUI(ui: SparkUI): Unit = {
    val store = new StreamingQueryStatusStore(ui.store.store)
    def shown = HistoryTab.queries(store).filter(isShown)
    if (shown.nonEmpty) UiTab.attachTo(ui, prefix, title, pages(() => shown))(files)
  }
}

private object HistoryTab {

  /** The last ones that were started come first. */
  def queries(store: StreamingQueryStatusStore): Seq[LoggedQuery] =
    store.allQueryUIData.sortBy(-_.summary.startTimestamp).map { data =>
      LoggedQuery(
        Option(data.summary.name),
        data.summary.id,
        UUID.fromString(data.summary.runId),
        data.summary.endTimestamp,
        data.summary.exception.isDefined,
        data.recentProgress.toSeq
      )
    }
}
