package tidegate.plans

import org.apache.spark.sql.catalyst.catalog.CatalogTable

/** How a table of late rows is known as one. */
object LateTables {
  private val Property = "tidegate.lateRows"

  /** What such a table has in its properties. */
  val properties: Map[String, String] = Map(Property -> "true")

  def is(table: CatalogTable): Boolean = table.properties.contains(Property)
}
