package tidegate.own.asof

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, StructType}
import tidegate.core.Saturating

/**
 * The version as of a time, among the versions of a key in the order of their times; NULL if there
 * is none.
 *
 * @param versions
 *   an array of structs: of what orders the versions, with the time first, and of the row
 * @param tolerance
 *   how much older than the time the version may be, in µs
 */
private[asof] final case class VersionAsOf(
    versions: Expression,
    time: Expression,
    tolerance: Option[Long]
) extends BinaryExpression
    with CodegenFallback {

  override def left: Expression = versions

  override def right: Expression = time

  override def nullable: Boolean = true

  private lazy val element: StructType = versions.dataType match {
    case ArrayType(struct: StructType, _) => struct
    case other => throw new IllegalStateException(s"no versions: ${other.sql}")
  }

  private lazy val orderFields = element.head.dataType match {
    case order: StructType => order.size
    case other             => throw new IllegalStateException(s"no order: ${other.sql}")
  }

  private lazy val rowFields = dataType match {
    case row: StructType => row.size
    case other           => throw new IllegalStateException(s"no row: ${other.sql}")
  }

  override def dataType: DataType = element(1).dataType

  override protected def nullSafeEval(array: Any, time: Any): Any =
    (array, time) match {
      case (all: ArrayData, micros: Long) => found(all, micros)
      case other => throw new IllegalStateException(s"not versions and a time: $other")
    }

  private def found(all: ArrayData, micros: Long): InternalRow = {
    var (low, high) = (0, all.numElements())
    while (low < high) {
      val middle = (low + high) >>> 1
      if (timeOf(all, middle) <= micros) low = middle + 1 else high = middle
    }
    val i = low - 1
    val isFound =
      i >= 0 && tolerance.forall(t => timeOf(all, i) >= Saturating.subtract(micros, t))
    if (isFound) all.getStruct(i, 2).getStruct(1, rowFields) else null
  }

  private def timeOf(all: ArrayData, i: Int): Long =
    all.getStruct(i, 2).getStruct(0, orderFields).getLong(0)

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): VersionAsOf = copy(versions = newLeft, time = newRight)
}
