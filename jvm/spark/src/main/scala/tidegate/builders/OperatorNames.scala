package tidegate.builders

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.WatermarkErrors
import tidegate.planning.KeyedWatermarkStrategy
import tidegate.plans.NamedOperator

/** Gives names to stateful operators, as the hint in SQL does. */
private[tidegate] object OperatorNames {

  /** Implements the method `tidegateName` of a Dataset; see there. */
  def give[T](ds: Dataset[T], name: String): Dataset[T] = {
    // Without the extension Spark would ignore the hint.
    if (!SparkInternals.hasStrategy(ds.sparkSession, classOf[KeyedWatermarkStrategy])) {
      throw WatermarkErrors.extensionNotInstalled()
    }
    ds.hint(NamedOperator.Hint, name)
  }
}
