package tidegate.testing

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types.StructType

private[testing] object Casts {

  /** The columns of a schema, in its order; those that are not there are NULL. */
  def to(schema: StructType, rows: DataFrame): DataFrame = rows.select(schema.map { field =>
    val isThere = rows.columns.contains(field.name)
    val value = if (isThere) col(quoteIdentifier(field.name)) else lit(null)
    value.cast(field.dataType).as(field.name)
  }: _*)
}
