package tidegate.sql

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{DataType, NullType}

/**
 * `DESCRIPTOR(a, b)`. Its columns are names, not expressions: Spark would look for session
 * variables where the table has no such column.
 *
 * @param columns
 *   the parts of each name; of what is no name, `Left` of its text
 */
private[tidegate] final case class Descriptor(columns: Seq[Either[String, Seq[String]]])
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = false
  override def dataType: DataType = NullType
  override def sql: String =
    columns.map(_.fold(identity, _.mkString("."))).mkString("DESCRIPTOR(", ", ", ")")
  override def toString: String = sql
}
