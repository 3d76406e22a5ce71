package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.types._

/**
 * What is computed for every window or session, and what its parts look like: an ''entry'' is a
 * frame, or a session, with the buffers of all aggregates over its rows.
 *
 * @param keys
 *   the grouping columns beside the window; nullable, because those of earlier batches may be NULL
 * @param frame
 *   the start of a frame, in µs; in the results, the start of a window or session
 * @param results
 *   the output, over keys, the start of the window and the results of the aggregates
 * @param times
 *   what the columns of an entry are called that are times in µs: the first, and the buffers of as
 *   many functions after it
 * @param pageKey
 *   the column by which keys of the state differ from keys of other rows in the same store
 */
final case class FrameAggregates(
    keys: Seq[Attribute],
    frame: Attribute,
    functions: Seq[AggregateExpression],
    results: Seq[NamedExpression],
    times: Seq[String] = Seq("frame"),
    pageKey: Option[Attribute] = None
) {

  /** The buffers of all aggregates, as targets of a merge. */
  def buffers: Seq[AttributeReference] =
    functions.flatMap(_.aggregateFunction.aggBufferAttributes)

  /** The same buffers as sources of a merge, and as the partial aggregation emits them. */
  def inputBuffers: Seq[AttributeReference] =
    functions.flatMap(_.aggregateFunction.inputAggBufferAttributes)

  /** The key of a row in the state: a number, which says of what kind the row is; and the keys. */
  def stateKey: Seq[Attribute] = (AttributeReference("chunk", IntegerType)() +: keys) ++ pageKey

  /**
   * The type of an entry. Columns are named after their aggregate, so that readers of the state
   * recognize them.
   */
  def entryType: StructType = {
    val fields = functions.drop(times.size - 1).flatMap { f =>
      val name = toPrettySQL(FrameAggregates.withOwnName(f))
      f.aggregateFunction.aggBufferAttributes match {
        case Seq(only) => Seq(StructField(name, only.dataType, only.nullable))
        case several   =>
          several.map(b => StructField(s"$name.${b.name}", b.dataType, b.nullable))
      }
    }
    val own = times.map(StructField(_, TimestampType, nullable = false))
    StructType(own ++ FrameAggregates.distinctNames(fields))
  }

  /**
   * Whether every buffer is one word of eight bytes, and each aggregate is merged by an expression:
   * then entries are merged in place, by generated code.
   */
  def arePacked: Boolean =
    functions.map(_.aggregateFunction).forall {
      case f: DeclarativeAggregate =>
        f.aggBufferAttributes.forall(b => isWord(b.dataType)) &&
        (f.evaluateExpression +: f.mergeExpressions).forall(isGenerated)
      case _ => false
    } && buffers.size <= FrameAggregates.MostPacked

  private def isGenerated(e: Expression): Boolean = !e.exists(_.isInstanceOf[CodegenFallback])

  private def isWord(dataType: DataType): Boolean = dataType match {
    case d: DecimalType => d.precision <= Decimal.MAX_LONG_DIGITS
    case NullType       => false
    case other          => UnsafeRow.isFixedLength(other) && other.defaultSize <= 8
  }
}

object FrameAggregates {

  /** The virtual machine interprets methods of more than 8,000 bytes. */
  private val MostPacked = 24

  /** A function that was called by an alias, such as `mean`, gets its own name back. */
  private def withOwnName(f: AggregateExpression): AggregateExpression = {
    val function = f.aggregateFunction.clone().asInstanceOf[AggregateFunction]
    function.unsetTagValue(FunctionRegistry.FUNC_ALIAS)
    f.copy(aggregateFunction = function)
  }

  private def distinctNames(fields: Seq[StructField]): Seq[StructField] = {
    val seen = scala.collection.mutable.Map.empty[String, Int]
    fields.map { f =>
      val n = seen.getOrElse(f.name, 0) + 1
      seen(f.name) = n
      if (n == 1) f else f.copy(name = s"${f.name} $n")
    }
  }
}
