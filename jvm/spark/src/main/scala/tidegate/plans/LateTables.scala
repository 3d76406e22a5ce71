package tidegate.plans

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}

/** How a table of late rows is known as one. */
object LateTables {
  private val Property = "tidegate.lateRows"

  /** What such a table has in its properties. */
  val properties: Map[String, String] = Map(Property -> "true")

  /** Whether the text of `lateRows` is written as a path, and so is no name of a table. */
  def isPath(text: String): Boolean = text.exists("/\\:".contains(_))

  /** Whether SQL reads the text as a name. */
  def isName(text: String): Boolean =
    try CatalystSqlParser.parseMultipartIdentifier(text).nonEmpty
    catch { case _: ParseException => false }

  def is(table: CatalogTable): Boolean = table.properties.contains(Property)
}
