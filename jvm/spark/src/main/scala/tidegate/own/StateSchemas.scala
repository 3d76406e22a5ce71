package tidegate.own

import org.apache.spark.sql.types._

/** Compares the schema of a state with the schema that the state had before. */
private[own] object StateSchemas {

  /**
   * Names that Spark gives to columns of its own, alone or in a longer name, with numbers of a run.
   */
  private val OfSpark = "(?<!\\w)(_gen_alias_|_common_expr_)\\d+(_\\d+)?(?!\\w)".r

  /** Whether columns of these names are the same: also if Spark has made a part of their names. */
  def isSameName(one: String, other: String): Boolean =
    OfSpark.replaceAllIn(one, "$1").equalsIgnoreCase(OfSpark.replaceAllIn(other, "$1"))

  /**
   * The schema, without NULL where the schema of before has none. Spark refuses a state whose
   * columns may have NULL now, and could not have it when the state began; for the rows of a state
   * this makes no difference, and a batch without rows of one branch of a union is no other query.
   */
  def asStrict(now: StructType, before: StructType): StructType =
    if (now.length != before.length) now
    else
      StructType(now.zip(before).map { case (n, b) =>
        n.copy(dataType = asStrict(n.dataType, b.dataType), nullable = n.nullable && b.nullable)
      })

  /** Whether two schemas are equal but for columns that may have NULL, and names of Spark's. */
  def areAlike(one: StructType, other: StructType): Boolean =
    one.length == other.length && one.zip(other).forall { case (o, t) =>
      isSameName(o.name, t.name) && o.metadata == t.metadata && areAlike(o.dataType, t.dataType)
    }

  private def areAlike(one: DataType, other: DataType): Boolean = (one, other) match {
    case (o: StructType, t: StructType) => areAlike(o, t)
    case (o: ArrayType, t: ArrayType)   => areAlike(o.elementType, t.elementType)
    case (o: MapType, t: MapType)       =>
      areAlike(o.keyType, t.keyType) && areAlike(o.valueType, t.valueType)
    case _ => one == other
  }

  /**
   * The columns, with their types, that only one schema has, and those that only the other has; in
   * place of a row in a column, the columns of the row.
   */
  def differences(before: StructType, now: StructType): (Seq[String], Seq[String]) = {
    def columns(schema: StructType): Seq[String] = schema.flatMap { f =>
      f.dataType match {
        case row: StructType               => columns(row)
        case ArrayType(row: StructType, _) => columns(row)
        case other                         => Seq(s"${f.name} ${other.sql}")
      }
    }
    // A state of windows has the same columns at two places.
    val (former, latter) = (columns(before).distinct, columns(now).distinct)
    (former.diff(latter), latter.diff(former))
  }

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
