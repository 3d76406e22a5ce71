package tidegate.execution.order

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.{BinaryType, StructField, StructType}
import tidegate.plans.OrderMark

/** The state of an event-time order: each row by its [[ArrivalKey]]. */
private[order] object OrderStateSchema {

  def key(mark: OrderMark): StructType =
    StructType(Seq(StructField("arrival", BinaryType, nullable = false, mark.metadata)))

  /**
   * The row as it is. A batch that lacks a branch of a union may know a column to have no nulls.
   */
  def value(columns: Seq[Attribute]): StructType =
    StructType(columns.map(c => StructField(c.name, SparkInternals.nullable(c.dataType))))
}
