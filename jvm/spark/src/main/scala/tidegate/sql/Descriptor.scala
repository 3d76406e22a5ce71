package tidegate.sql

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{DataType, NullType}

/**
 * `DESCRIPTOR(a, b)`. Its columns are names, not expressions: as expressions, Spark would resolve a
 * name that is not in the table to a session variable.
 *
 * @param columns
 *   the parts of each name; `Left` with the text of anything that is not a name
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
