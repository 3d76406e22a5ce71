package tidegate.execution.order

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types._
import tidegate.TidegateErrors
import tidegate.execution.StoredStateSchema
import tidegate.plans.EventTimeOrder

/**
 * What the state of an event-time order is: a row by its [[ArrivalKey]].
 *
 * The schema of a checkpoint also says what its rows are ordered and divided by, in the metadata of
 * the key. Spark compares types only, and would let them be continued in another order.
 */
private[order] final class OrderStateSchema(
    columns: Seq[Attribute],
    partitionBy: Seq[Attribute],
    eventTime: Attribute
) {
  import OrderStateSchema._

  val key: StructType = {
    val order = new MetadataBuilder()
      .putString(TimeField, eventTime.name)
      .putStringArray(KeysField, partitionBy.map(_.name).toArray)
    StructType(Seq(StructField("arrival", BinaryType, nullable = false, order.build())))
  }

  /** The row as it is. A batch that lacks a branch of a union may know a column to have no nulls. */
  val value: StructType =
    StructType(columns.map(c => StructField(c.name, SparkInternals.nullable(c.dataType))))

  /** @throws AnalysisException if a checkpoint has rows in another order */
  def check(
      operator: Option[String],
      info: StatefulOperatorStateInfo,
      hadoopConf: Configuration
  ): Unit =
    for {
      stored <- StoredStateSchema.of(info, hadoopConf)
      before <- describe(stored.keySchema)
      now <- describe(key)
      if before != now
    } throw TidegateErrors.orderChanged(operator.getOrElse(EventTimeOrder.StateName), before, now)
}

private[order] object OrderStateSchema {
  private val TimeField = "tidegate.orderedBy"
  private val KeysField = "tidegate.partitionedBy"

  private def describe(key: StructType): Option[String] =
    key.fields.headOption.map(_.metadata).filter(_.contains(TimeField)).map { order =>
      val keys = order.getStringArray(KeysField)
      val by = if (keys.isEmpty) "all rows" else keys.mkString("the rows of each `", "`, `", "`")
      s"$by by `${order.getString(TimeField)}`"
    }
}
