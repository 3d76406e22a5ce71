package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types._

/**
 * Keys that are intervals, or have one inside, leave an operator to Spark: Spark writes a NULL of
 * this type without clearing the bytes of the value before. So equal keys may have other bytes, the
 * key of a row cannot be made again from its values, and Spark's check of the rows of a state
 * refuses rows that are of no key.
 */
private[own] object IntervalKeys {

  /** Why one of our operators cannot have these keys. */
  def reason(keys: Seq[Expression]): Option[String] =
    keys.find(key => hasInterval(key.dataType)).map { key =>
      s"the key ${key.sql} is an interval, or has one inside"
    }

  private def hasInterval(dataType: DataType): Boolean = dataType match {
    case CalendarIntervalType   => true
    case struct: StructType     => struct.exists(field => hasInterval(field.dataType))
    case ArrayType(element, _)  => hasInterval(element)
    case MapType(key, value, _) => hasInterval(key) || hasInterval(value)
    case _                      => false
  }
}
