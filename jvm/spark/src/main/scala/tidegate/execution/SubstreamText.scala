package tidegate.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Cast,
  Expression,
  Literal,
  RowOrdering,
  UnaryExpression
}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import tidegate.statistics.SubstreamNode

/**
 * The text that names a substream by a value of bytes or of several parts. Different values have
 * different texts: substreams with one name would share one watermark, that of the fastest.
 */
private[tidegate] final case class SubstreamText(child: Expression) extends UnaryExpression {

  override def dataType: DataType = StringType

  override def nullIntolerant: Boolean = true

  private lazy val write = new SubstreamText.Writer(child.dataType)

  override protected def nullSafeEval(value: Any): Any = write(value)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val writer = ctx.addReferenceObj("substreamText", write)
    nullSafeCodeGen(ctx, ev, value => s"${ev.value} = $writer.apply($value);")
  }

  override protected def withNewChildInternal(newChild: Expression): SubstreamText =
    copy(child = newChild)
}

private[tidegate] object SubstreamText {

  /** The text of a column in the name of a substream. */
  def of(column: Attribute): Expression = column.dataType match {
    case _: StringType   => column
    case t if isPlain(t) => plain(column)
    case _               => SubstreamText(column)
  }

  /** Whether the values of a type have texts of their own. */
  def supports(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _) => supports(element)
    case StructType(fields)    => fields.forall(f => supports(f.dataType))
    case BinaryType            => true
    case other                 => isPlain(other)
  }

  /** Whether Spark's own text of a value, in UTC, is like that of no other value. */
  def isPlain(dataType: DataType): Boolean = dataType match {
    case BinaryType | _: ArrayType | _: StructType | _: UserDefinedType[_] => false
    case other => RowOrdering.isOrderable(other)
  }

  /** Spark's own text of a value, independent of the time zone of the session. */
  def plain(value: Expression): Expression = Cast(value, StringType, Some("UTC"))

  /** Writes values of one type. Not thread-safe. */
  final class Writer(dataType: DataType) extends Serializable {

    /** Java's types of generated code are boxed here. */
    def apply(value: Any): UTF8String = {
      val text = new StringBuilder
      append(text, value, dataType, isInner = false)
      UTF8String.fromString(text.toString)
    }

    private def append(text: StringBuilder, value: Any, of: DataType, isInner: Boolean): Unit =
      (value, of) match {
        case (null, _)                        => text ++= "null"
        case (bytes: Array[Byte], BinaryType) => bytes.foreach(b => text ++= f"${b & 0xff}%02x")
        case (s: UTF8String, _: StringType) if isInner =>
          text += '"' ++= SubstreamNode.text(s).replace("\"", "\\\"") += '"'
        case (row: InternalRow, StructType(fields)) =>
          list(text, '{', fields.length, '}') { i =>
            val field = fields(i).dataType
            append(text, if (row.isNullAt(i)) null else row.get(i, field), field, isInner = true)
          }
        case (array: ArrayData, ArrayType(element, _)) =>
          list(text, '[', array.numElements(), ']') { i =>
            val item = if (array.isNullAt(i)) null else array.get(i, element)
            append(text, item, element, isInner = true)
          }
        case _ => text ++= SubstreamText.plain(Literal(value, of)).eval().toString
      }

    private def list(text: StringBuilder, open: Char, size: Int, close: Char)(
        item: Int => Unit
    ): Unit = {
      text += open
      (0 until size).foreach { i =>
        if (i > 0) text += ','
        item(i)
      }
      text += close
    }
  }
}
