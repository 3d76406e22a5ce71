package tidegate.ui

import scala.io.Source
import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{UiFile, UiPage, UiTab}
import tidegate.settings.Settings

/** The tab "Event time" in Spark's UI. It reads what the clocks remember, when somebody looks. */
private[tidegate] object EventTimeUi {

  /** The beginning of the paths of its pages. */
  val Prefix = "EventTime"

  val Title = "Event time"

  /** Adds the tab to the UI of the application, unless it is there, or a setting says no. */
  def attach(session: SparkSession): Unit =
    if (Settings.UiEnabled.in(session.sessionState.conf))
      UiTab.attach(session.sparkContext, Prefix, Title, pages(KnownRuns))(files)

  private[ui] def pages(runs: Runs): Seq[UiPage] = Seq(new QueriesPage(runs), new QueryPage(runs))

  private[ui] def path(file: String): String = s"/$Prefix/static/$file"

  private[ui] def files: Seq[UiFile] =
    Seq("event-time.js" -> "text/javascript", "event-time.css" -> "text/css").map {
      case (name, contentType) =>
        val stream = getClass.getResourceAsStream(s"/tidegate/ui/$name")
        UiFile(
          path(name),
          contentType,
          Using.resource(Source.fromInputStream(stream, "UTF-8"))(_.mkString)
        )
    }
}
