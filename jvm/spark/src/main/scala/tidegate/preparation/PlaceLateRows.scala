package tidegate.preparation

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.tidegate.{ParquetRows, SparkInternals, UnseenQuery}
import tidegate.errors.{FileReason, LateRowErrors}
import tidegate.plans.DropLate

/**
 * Finds the folders to which late rows go, in the place of the tables that `lateRows` may name, and
 * makes them when a query starts: no late row must be the first to fail. For a query that is only
 * tried, they are checked and not made.
 */
private[preparation] object PlaceLateRows extends Logging {

  /**
   * @throws AnalysisException
   *   if a folder or a table cannot be made or used, or if a row has a type that Parquet does not
   *   have
   */
  def apply(plan: LogicalPlan): LogicalPlan = {
    val drops = plan.collect { case d: DropLate if d.lateRows.isDefined => d }
    drops.foreach(checkTypes)
    val session = SparkSession.active
    val isTried = UnseenQuery.isHere(session)
    val folders = drops.groupBy(_.lateRows.mkString).map { case (to, writers) =>
      val table = LateTable.named(session, to)
      val folder = table.fold(made(to, writers.head, isTried))(_(writers).folder(isTried))
      if (!isTried) logInfo(line(writers.map(_.operator), table.map(_ => to), folder))
      to -> folder
    }
    if (folders.isEmpty) plan
    else plan.transform { case d: DropLate => d.copy(lateRows = d.lateRows.map(folders)) }
  }

  private[preparation] def line(
      operators: Seq[String],
      table: Option[String],
      folder: String
  ): String = {
    val place = table.fold("")(name => s"the table $name, ")
    s"Late rows of ${operators.map(o => s"`$o`").mkString(", ")} go to ${place}the folder $folder."
  }

  private def checkTypes(drop: DropLate): Unit =
    drop.whole.find(a => !ParquetRows.supports(a.dataType)).foreach { a =>
      throw LateRowErrors.columnType(drop.operator, a.name, a.dataType)
    }

  private def made(folder: String, drop: DropLate, isTried: Boolean): String =
    try {
      val path = new Path(folder)
      val system = path.getFileSystem(SparkInternals.hadoopConf(SparkSession.active))
      if (!isTried && !system.mkdirs(path)) throw new IOException("the folder cannot be made")
      folder
    } catch {
      case NonFatal(e) =>
        throw LateRowErrors.folderRefused(folder, drop.operator, FileReason.of(e))
    }
}
