package tidegate.preparation

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.tidegate.{SessionTables, SparkInternals}
import org.apache.spark.sql.types.{StructField, StructType}
import tidegate.errors.{FileReason, LateRowErrors}
import tidegate.execution.LateFolder
import tidegate.paths.FolderCall
import tidegate.plans.{DropLate, LateTables}

/**
 * The table that `lateRows` names: it is made when there is none, and its `row` gets the columns of
 * the operators that write to it.
 *
 * @param name
 *   as the user wrote it
 * @param writers
 *   the operators that write to it
 */
private[preparation] final class LateTable(
    session: SparkSession,
    name: String,
    parts: Seq[String],
    writers: Seq[DropLate]
) {
  private val tables = new SessionTables(session)
  private val sameName = SessionTables.sameName(session)
  private val operator = writers.head.operator

  /**
   * The folder of the table, which exists from then on, unless the query is only tried.
   *
   * @throws AnalysisException
   *   if the name is of no table that may be made, or of one that late rows cannot go to
   */
  def folder(isTried: Boolean): String = {
    val table =
      tables.identifier(parts).getOrElse(refuse("only Spark's own catalog has such tables"))
    if (parts.size == 1 && tables.isHidden(parts.head)) refuse("it is a temporary view")
    if (!tables.hasDatabase(table)) refuse(s"there is no database ${table.database.mkString}")
    val wanted = schema
    if (tables.find(table).isEmpty && isTried) tables.usualFolder(table).toString
    else {
      if (tables.find(table).isEmpty) make(table, wanted)
      // Also if another query has just made it.
      val found = tables.find(table).getOrElse(refuse("it was dropped while the query started"))
      check(found)
      if (!LateTables.is(found) && !isTried)
        orRefuse(tables.addProperties(found, LateTables.properties))
      val wider = widened(found.schema, wanted)
      if (!isTried) wider.foreach(schema => orRefuse(tables.widen(table, schema)))
      SessionTables.folder(found)
    }
  }

  /** A catalog in memory forgets its tables with the application; their files stay. */
  private def make(table: TableIdentifier, columns: StructType): Unit = orRefuse {
    val usual = tables.usualFolder(table)
    val folder = Option.when(LateFolder.has(usual, SparkInternals.hadoopConf(session)))(usual)
    tables.create(table, columns, LateTables.properties, folder)
  }

  private def refuse(reason: String): Nothing = throw refused(reason)

  private def refused(reason: String) = LateRowErrors.tableRefused(name, operator, reason)

  private def orRefuse[T](step: => T): T =
    try step
    catch {
      case NonFatal(e) if FolderCall.isOfFiles(e) => refuse(FileReason.of(e))
      case NonFatal(e) => refuse(Option(e.getMessage).getOrElse(e.toString).stripSuffix("."))
    }

  /** The columns of the table, with those of all writers in `row`. */
  private def schema: StructType = {
    val ofRows = writers.flatMap { w =>
      rowOf(LateFolder.schema(w.whole)).fields.toSeq.map(w.operator -> _)
    }
    val row = ofRows.foldLeft(Seq.empty[(String, StructField)]) { case (known, (writer, field)) =>
      known.find { case (_, f) => sameName(f.name, field.name) } match {
        case None                               => known :+ (writer -> field)
        case Some((_, f)) if sameType(f, field) => known
        case Some((first, f))                   =>
          refuse(
            s"`row.${field.name}` is ${f.dataType.sql} in $first, and ${field.dataType.sql} in $writer"
          )
      }
    }
    LateTable.withRow(LateFolder.schema(Nil), StructType(row.map(_._2)))
  }

  private def rowOf(schema: StructType): StructType =
    schema(LateTable.Row).dataType.asInstanceOf[StructType]

  private def sameType(a: StructField, b: StructField): Boolean =
    SparkInternals.nullable(a.dataType) == SparkInternals.nullable(b.dataType)

  private def check(table: CatalogTable): Unit = {
    if (table.tableType == CatalogTableType.VIEW) refuse("it is a view")
    val provider = table.provider.getOrElse("hive")
    if (!provider.equalsIgnoreCase("parquet"))
      refuse(s"its provider is $provider, not parquet")
    if (table.partitionColumnNames.nonEmpty || table.bucketSpec.isDefined)
      refuse("it has partitions or buckets")
    val wanted = LateFolder.schema(Nil)
    wanted.fields.foreach { field =>
      val column =
        find(table.schema, field.name).getOrElse(refuse(s"it has no column `${field.name}`"))
      if (field.name != LateTable.Row && !sameType(column, field))
        refuse(s"its column `${field.name}` is ${column.dataType.sql}, not ${field.dataType.sql}")
      if (field.name == LateTable.Row && !column.dataType.isInstanceOf[StructType])
        refuse(s"its column `${field.name}` is ${column.dataType.sql}, not a STRUCT")
    }
    table.schema.fields.find(f => find(wanted, f.name).isEmpty).foreach { f =>
      refuse(s"it has a column `${f.name}`, which late rows do not have")
    }
  }

  private def find(schema: StructType, name: String): Option[StructField] =
    schema.fields.find(f => sameName(f.name, name))

  /**
   * The columns with what the operators of the query have, and those of earlier ones had not; none
   * if there is nothing to add.
   */
  private def widened(found: StructType, wanted: StructType): Option[StructType] = {
    val before = find(found, LateTable.Row).map(_.dataType) match {
      case Some(row: StructType) => row
      case _                     => new StructType
    }
    val added = rowOf(wanted).fields.filter { field =>
      find(before, field.name).forall { known =>
        if (!sameType(known, field))
          refuse(
            s"its `row.${known.name}` is ${known.dataType.sql}, and ${field.dataType.sql} in the query"
          )
        false
      }
    }
    Option.when(added.nonEmpty)(LateTable.withRow(found, StructType(before.fields ++ added)))
  }
}

private[preparation] object LateTable {
  private val Row = "row"

  /** The table, if the text of `lateRows` is a name and not a path. */
  def named(session: SparkSession, text: String): Option[Seq[DropLate] => LateTable] =
    if (LateTables.isPath(text)) None
    else new SessionTables(session).parts(text).map(parts => new LateTable(session, text, parts, _))

  private def withRow(schema: StructType, row: StructType): StructType = StructType(
    schema.fields.map { f =>
      val changed = if (f.name.equalsIgnoreCase(Row)) f.copy(dataType = row) else f
      changed.copy(dataType = SparkInternals.nullable(changed.dataType), nullable = true)
    }
  )
}
