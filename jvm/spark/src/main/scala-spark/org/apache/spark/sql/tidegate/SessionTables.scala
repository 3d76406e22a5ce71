package org.apache.spark.sql.tidegate

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.ClassicConversions._
import org.apache.spark.sql.connector.catalog.CatalogManager
import org.apache.spark.sql.execution.command.CreateDataSourceTableCommand
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.StructType

/** The tables of Spark's own catalog, as a session sees them. */
final class SessionTables(session: SparkSession) {
  private val state = castToImpl(session).sessionState
  private val catalog = state.catalog

  /** The parts of a name, as SQL reads it; `None` if it is none. */
  def parts(name: String): Option[Seq[String]] =
    Try(state.sqlParser.parseMultipartIdentifier(name)).toOption

  /**
   * A table by the parts of its name, which need not exist; `None` if the name is of another
   * catalog.
   */
  def identifier(parts: Seq[String]): Option[TableIdentifier] = {
    def of(database: String) =
      TableIdentifier(parts.last, Some(database), Some(CatalogManager.SESSION_CATALOG_NAME))
    parts match {
      case Seq(_) if isOwn(state.catalogManager.currentCatalog.name) =>
        Some(of(catalog.getCurrentDatabase))
      case Seq(database, _) if isOwn(state.catalogManager.currentCatalog.name) =>
        Option.unless(isOtherCatalog(database))(of(database))
      case Seq(name, database, _) if isOwn(name) => Some(of(database))
      case _                                     => None
    }
  }

  private def isOwn(catalog: String): Boolean =
    catalog.equalsIgnoreCase(CatalogManager.SESSION_CATALOG_NAME)

  private def isOtherCatalog(name: String): Boolean =
    !isOwn(name) && state.catalogManager.isCatalogRegistered(name)

  def hasDatabase(of: TableIdentifier): Boolean = of.database.exists(catalog.databaseExists)

  /** Whether a view of the session hides a table of this name. */
  def isHidden(name: String): Boolean = catalog.isTempView(Seq(name))

  def find(table: TableIdentifier): Option[CatalogTable] =
    Option.when(catalog.tableExists(table))(catalog.getTableMetadata(table))

  /** Where a managed table is. */
  def usualFolder(of: TableIdentifier): Path = new Path(catalog.defaultTablePath(of))

  /**
   * Makes a table of Parquet files, if there is none.
   *
   * @param folder
   *   where its files are already; none for a managed table, which is empty
   */
  def create(
      table: TableIdentifier,
      schema: StructType,
      properties: Map[String, String],
      folder: Option[Path]
  ): Unit = {
    val made = CatalogTable(
      table,
      if (folder.isDefined) CatalogTableType.EXTERNAL else CatalogTableType.MANAGED,
      CatalogStorageFormat.empty.copy(locationUri = folder.map(_.toUri)),
      schema,
      provider = Some("parquet"),
      properties = properties
    )
    val _ = CreateDataSourceTableCommand(made, ignoreIfExists = true).run(castToImpl(session))
  }

  def addProperties(table: CatalogTable, properties: Map[String, String]): Unit = {
    catalog.alterTable(table.copy(properties = table.properties ++ properties))
    catalog.refreshTable(table.identifier)
  }

  /** Replaces the columns of a table by more columns. */
  def widen(table: TableIdentifier, schema: StructType): Unit = {
    catalog.alterTableDataSchema(table, schema)
    catalog.refreshTable(table)
  }
}

object SessionTables {

  def folder(table: CatalogTable): String = new Path(table.location).toString

  /** Whether two names are the same name in this session. */
  def sameName(session: SparkSession): (String, String) => Boolean =
    castToImpl(session).sessionState.conf.resolver

  /**
   * Lists the files of the tables in a plan again for which `isStale` holds: Spark keeps the list
   * that it made when it first read a table. What was analyzed before, as by an operation on a
   * DataFrame, is left as it is.
   */
  def refresh(plan: LogicalPlan)(isStale: CatalogTable => Boolean): Unit = plan match {
    // Spark keeps the relation of a table, which says that it is analyzed.
    case l: LogicalRelation =>
      l.relation match {
        case files: HadoopFsRelation if l.catalogTable.exists(isStale) => files.location.refresh()
        case _                                                         => ()
      }
    case other if !other.analyzed => other.children.foreach(refresh(_)(isStale))
    case _                        => ()
  }
}
