package tidegate.functions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.DataType

/**
 * An aggregate over the distinct values of its arguments, `count(DISTINCT x)`. The buffer has the
 * values, so that it can be merged from parts; Spark's way needs a second aggregation.
 *
 * @param function
 *   the aggregate, with `BoundReference`s in the place of the arguments
 * @param arguments
 *   what is distinct
 */
private[tidegate] final case class DistinctValues(
    function: AggregateFunction,
    arguments: Seq[Expression],
    override val mutableAggBufferOffset: Int = 0,
    override val inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[mutable.LinkedHashSet[UnsafeRow]] {

  override def children: Seq[Expression] = arguments

  override def nullable: Boolean = function.nullable

  override def dataType: DataType = function.dataType

  override def defaultResult: Option[Literal] = function.defaultResult

  override def prettyName: String = s"${function.prettyName}_distinct"

  override def toString: String = s"${function.prettyName}(distinct ${arguments.mkString(", ")})"

  @transient private lazy val project = UnsafeProjection.create(arguments)

  @transient private lazy val evaluation: Iterator[InternalRow] => Any = function match {
    case declarative: DeclarativeAggregate => DistinctValues.evaluation(declarative, arguments)
    case other => DistinctValues.evaluation(other.asInstanceOf[ImperativeAggregate])
  }

  override def createAggregationBuffer(): mutable.LinkedHashSet[UnsafeRow] =
    mutable.LinkedHashSet.empty

  override def update(
      buffer: mutable.LinkedHashSet[UnsafeRow],
      input: InternalRow
  ): mutable.LinkedHashSet[UnsafeRow] = {
    val value = project(input)
    if (!buffer.contains(value)) buffer += value.copy()
    buffer
  }

  override def merge(
      buffer: mutable.LinkedHashSet[UnsafeRow],
      other: mutable.LinkedHashSet[UnsafeRow]
  ): mutable.LinkedHashSet[UnsafeRow] = buffer ++= other

  override def eval(buffer: mutable.LinkedHashSet[UnsafeRow]): Any = evaluation(buffer.iterator)

  @transient private lazy val bytes =
    new RowBytes(prettyName, arguments.map(_.dataType.catalogString).mkString(", "), arguments.size)

  override def serialize(buffer: mutable.LinkedHashSet[UnsafeRow]): Array[Byte] = bytes.of(buffer)

  override def deserialize(stored: Array[Byte]): mutable.LinkedHashSet[UnsafeRow] =
    createAggregationBuffer() ++= bytes.rows(stored)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(
      children: IndexedSeq[Expression]
  ): DistinctValues = copy(arguments = children)
}

private[tidegate] object DistinctValues {

  /** The aggregate over the distinct values of its arguments, if it can be had so. */
  def of(function: AggregateFunction): Option[DistinctValues] = {
    val arguments = function.children.filterNot(_.foldable)
    val isPlain = function match {
      case _: RuntimeReplaceableAggregate | _: PythonUDAF | _: Unevaluable => false
      // An order is no value that could be distinct.
      case f if f.children.exists(_.isInstanceOf[SortOrder]) => false
      case _: DeclarativeAggregate | _: ImperativeAggregate  => true
      case _                                                 => false
    }
    Option.when(isPlain && arguments.nonEmpty && arguments.forall(a => isComparable(a.dataType))) {
      val places = arguments.zipWithIndex.iterator
      val bound = function.mapChildren {
        case constant if constant.foldable => constant
        case _                             =>
          val (a, i) = places.next()
          BoundReference(i, a.dataType, a.nullable)
      }
      DistinctValues(
        bound.asInstanceOf[AggregateFunction],
        arguments.map(SparkInternals.normalized)
      )
    }
  }

  /** Whether equal values have equal bytes. */
  private def isComparable(dataType: DataType): Boolean =
    UnsafeRowUtils.isBinaryStable(dataType) && !SparkInternals.hasMap(dataType) &&
      !SparkInternals.hasInterval(dataType)

  private def evaluation(
      function: DeclarativeAggregate,
      arguments: Seq[Expression]
  ): Iterator[InternalRow] => Any = {
    val values = arguments.map(a => AttributeReference("value", a.dataType, a.nullable)())
    val over = function
      .transform { case b: BoundReference => values(b.ordinal) }
      .asInstanceOf[DeclarativeAggregate]
    val buffers = over.aggBufferAttributes
    val initial = MutableProjection.create(over.initialValues, Nil)
    val update = MutableProjection.create(over.updateExpressions, buffers ++ values)
    val result = MutableProjection.create(Seq(over.evaluateExpression), buffers)
    rows => {
      val buffer = new GenericInternalRow(buffers.size)
      val both = new JoinedRow
      initial.target(buffer)(InternalRow.empty)
      rows.foreach(row => update.target(buffer)(both(buffer, row)))
      result(buffer).get(0, function.dataType)
    }
  }

  private def evaluation(function: ImperativeAggregate): Iterator[InternalRow] => Any = {
    val over = function.withNewMutableAggBufferOffset(0)
    rows => {
      val buffer = new GenericInternalRow(over.aggBufferAttributes.size)
      over.initialize(buffer)
      rows.foreach(over.update(buffer, _))
      over.eval(buffer)
    }
  }
}
