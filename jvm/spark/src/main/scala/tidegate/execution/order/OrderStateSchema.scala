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
   * The row itself, with all columns nullable: a column may be without nulls in a batch that lacks
   * a branch of a union, and with nulls in the next.
   */
  def value(columns: Seq[Attribute]): StructType =
    StructType(columns.map(c => StructField(c.name, SparkInternals.nullable(c.dataType))))
}
