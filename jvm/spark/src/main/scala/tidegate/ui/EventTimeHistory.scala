package tidegate.ui

import org.apache.spark.sql.tidegate.{HistoryTab, LoggedQuery, UiFile, UiPage}

/** The tab "Event time" in Spark's history server, which makes it without arguments. */
final class EventTimeHistory extends HistoryTab {

  override def prefix: String = EventTimeUi.Prefix

  override def title: String = EventTimeUi.Title

  override def isShown(query: LoggedQuery): Boolean = LoggedRuns.isKeyed(query)

  override def pages(queries: () => Seq[LoggedQuery]): Seq[UiPage] =
    EventTimeUi.pages(new LoggedRuns(queries))

  override def files: Seq[UiFile] = EventTimeUi.files
}
