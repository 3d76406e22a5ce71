package tidegate.preparation

import java.io.IOException

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.tidegate.{ParquetRows, SparkInternals}
import tidegate.errors.LateRowErrors
import tidegate.plans.DropLate

/** Checks the folders for late rows when a query starts: no late row must be the first to fail. */
private[preparation] object CheckLateRows {

  /**
   * @throws AnalysisException
   *   if a folder cannot be made, or if a row has a type that Parquet does not have
   */
  def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case d: DropLate => d.lateRows.foreach(check(d, _))
      case _           => ()
    }
    plan
  }

  private def check(drop: DropLate, folder: String): Unit = {
    drop.whole.find(a => !ParquetRows.supports(a.dataType)).foreach { a =>
      throw LateRowErrors.columnType(drop.operator, a.name, a.dataType)
    }
    try {
      val path = new Path(folder)
      val system = path.getFileSystem(SparkInternals.hadoopConf(SparkSession.active))
      if (!system.mkdirs(path)) throw new IOException("the folder cannot be made")
    } catch {
      case e @ (_: IOException | _: IllegalArgumentException) =>
        throw LateRowErrors.folderRefused(folder, drop.operator, e.getMessage)
    }
  }
}
