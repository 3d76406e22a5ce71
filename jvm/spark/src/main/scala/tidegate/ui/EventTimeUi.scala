package tidegate.ui

import scala.io.Source
import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{HistoryTab, LoggedQuery, OnlyShown, UiFile, UiPage, UiTab}
import tidegate.settings.Settings

/** The tab "Event time" in Spark's UI. It reads what the clocks remember, when somebody looks. */
private[tidegate] object EventTimeUi {

  val Title = "Event time"

  private val shown = new OnlyShown

  /** Adds the tab to the UI of the application, unless it is there, or a setting says no. */
  def attach(session: SparkSession): Unit =
    if (Settings.UiEnabled.in(session.sessionState.conf))
      shown(s"The tab `$Title`") {
        UiTab.attach(session.sparkContext, Elements.Prefix, Title, pages(KnownRuns))(files)
      }

  private[ui] def pages(runs: Runs): Seq[UiPage] = Seq(new QueriesPage(runs), new QueryPage(runs))

  private[ui] def files: Seq[UiFile] =
    Seq("event-time.js" -> "text/javascript", "event-time.css" -> "text/css").map {
      case (name, contentType) =>
        val stream = getClass.getResourceAsStream(s"/tidegate/ui/$name")
        UiFile(
          Elements.path(name),
          contentType,
          Using.resource(Source.fromInputStream(stream, "UTF-8"))(_.mkString)
        )
    }
}

/** The tab "Event time" in Spark's history server, which makes it without arguments. */
final class EventTimeHistory extends HistoryTab {

  override def prefix: String = Elements.Prefix

  override def title: String = EventTimeUi.Title

  override def isShown(query: LoggedQuery): Boolean = LoggedRuns.isKeyed(query)

  override def pages(queries: () => Seq[LoggedQuery]): Seq[UiPage] =
    EventTimeUi.pages(new LoggedRuns(queries))

  override def files: Seq[UiFile] = EventTimeUi.files
}
