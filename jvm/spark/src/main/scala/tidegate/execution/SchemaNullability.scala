package tidegate.execution

import org.apache.spark.sql.types._

/**
 * Whether columns of a state may have NULL. Spark refuses a state whose columns may have NULL now,
 * and could not have it when the state began; for the rows of a state this makes no difference, and
 * a batch without rows of one branch of a union is no other query.
 */
private[execution] object SchemaNullability {

  /** The schema, without NULL where the schema of before has none. */
  def asStrict(now: StructType, before: StructType): StructType =
    if (now.length != before.length) now
    else
      StructType(now.zip(before).map { case (n, b) =>
        n.copy(dataType = asStrict(n.dataType, b.dataType), nullable = n.nullable && b.nullable)
      })

  /** Whether two schemas are equal but for columns that may have NULL. */
  def areAlike(one: StructType, other: StructType): Boolean =
    asStrict(one, other) == asStrict(other, one)

  private def asStrict(now: DataType, before: DataType): DataType = (now, before) match {
    case (n: StructType, b: StructType) => asStrict(n, b)
    case (n: ArrayType, b: ArrayType)   =>
      ArrayType(asStrict(n.elementType, b.elementType), n.containsNull && b.containsNull)
    case (n: MapType, b: MapType) =>
      MapType(
        asStrict(n.keyType, b.keyType),
        asStrict(n.valueType, b.valueType),
        n.valueContainsNull && b.valueContainsNull
      )
    case _ => now
  }
}
