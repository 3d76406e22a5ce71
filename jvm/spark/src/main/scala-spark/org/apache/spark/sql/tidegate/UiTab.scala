package org.apache.spark.sql.tidegate

import scala.xml.Node

import jakarta.servlet.http.HttpServletRequest
import org.apache.spark.SparkContext
import org.apache.spark.ui.{SparkUI, SparkUITab, UIUtils, WebUIPage}
import org.json4s.JValue

/**
 * What a page was asked for.
 *
 * @param parameter
 *   a parameter of the address, if it is there
 * @param link
 *   the address of a path of the UI, which may stand behind a proxy
 */
final case class UiRequest(parameter: String => Option[String], link: String => String)

/** A page of a tab. */
trait UiPage {

  /** Below that of the tab; empty for its first page. */
  def path: String

  def title: String

  def html(request: UiRequest): Seq[Node]

  /** The same as JSON, which is at the address of the page with `/json` behind it. */
  def json(request: UiRequest): JValue
}

/** A file that pages ask for. */
final case class UiFile(path: String, contentType: String, text: String)

/** A tab in Spark's UI. */
sealed class UiTab private (ui: SparkUI, prefix: String, title: String, pages: Seq[UiPage])
    extends SparkUITab(ui, prefix) {

  override val name: String = title

  pages.foreach(page => attachPage(new UiTab.Page(this, page)))
}

object UiTab {

  /** The tabs are in the order of these numbers; Spark's own have lower ones. */
  private val Order = 100

  /**
   * Adds a tab to the UI of an application, unless it has one with this prefix, or no UI.
   *
   * @param prefix
   *   the beginning of the paths of its pages
   * @param files
   *   made only if the tab is added
   */
  def attach(context: SparkContext, prefix: String, title: String, pages: => Seq[UiPage])(
      files: => Seq[UiFile]
  ): Unit = context.ui.foreach(attachTo(_, prefix, title, pages)(files))

  private[tidegate] def attachTo(
      ui: SparkUI,
      prefix: String,
      title: String,
      pages: => Seq[UiPage]
  )(files: => Seq[UiFile]): Unit = synchronized {
    if (!ui.getTabs.exists(_.prefix == prefix)) {
      // In the history server each application has a base of its own.
      files.foreach { file =>
        UiFiles.attach(ui, ui.getBasePath + file.path, file.contentType, file.text)
      }
      ui.attachTab(new UiTab(ui, prefix, title, pages) {
        override def displayOrder: Int = Order
      })
    }
  }

  private final class Page(tab: UiTab, page: UiPage) extends WebUIPage(page.path) {

    override def render(request: HttpServletRequest): Seq[Node] =
      UIUtils.headerSparkPage(request, page.title, page.html(asked(request)), tab)

    override def renderJson(request: HttpServletRequest): JValue = page.json(asked(request))

    private def asked(request: HttpServletRequest) = UiRequest(
      name => Option(request.getParameter(name)),
      path => UIUtils.prependBaseUri(request, tab.basePath, path)
    )
  }
}
