package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  BindReferences,
  SortOrder,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  GenerateUnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{BinaryExecNode, CodegenSupport, SparkPlan}

import tidegate.clock.SubstreamStats
import tidegate.plans.WatermarkSpec

/**
 * Passes the rows of `left` through and notes the highest event time of every substream.
 *
 * `right` is the clock: it stands in the plan so that the clock is one of the query's sources, and
 * is never run. A row without an event time is not noted.
 */
final case class KeyedWatermarkExec(
    left: SparkPlan,
    right: SparkPlan,
    override val output: Seq[Attribute],
    eventTime: Attribute,
    substream: Seq[Attribute],
    spec: WatermarkSpec,
    stats: SubstreamStats)
    extends BinaryExecNode
    with CodegenSupport {

  @transient override lazy val references: AttributeSet = AttributeSet(eventTime +: substream)

  override def producedAttributes: AttributeSet = AttributeSet.empty

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = left.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val noted = stats
    val time = left.output.indexWhere(_.exprId == eventTime.exprId)
    val columns = left.output
    val by = substream
    left.execute().mapPartitions { rows =>
      val project = UnsafeProjection.create(by, columns)
      rows.map { row =>
        if (!row.isNullAt(time)) {
          if (by.isEmpty) noted.observe(row.getLong(time))
          else noted.observe(project(row), row.getLong(time))
        }
        row
      }
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = left.asInstanceOf[CodegenSupport].inputRDDs()

  /** Spark asks the only child; ours with code is the left one. */
  override def needCopyResult: Boolean = left.asInstanceOf[CodegenSupport].needCopyResult

  override protected def doProduce(ctx: CodegenContext): String =
    left.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val noted = ctx.addReferenceObj("substreamStats", stats)
    ctx.INPUT_ROW = null
    ctx.currentVars = input
    val time = input(left.output.indexWhere(_.exprId == eventTime.exprId))
    val note =
      if (substream.isEmpty) s"$noted.observe(${time.value});"
      else {
        val bound = BindReferences.bindReferences(substream, left.output)
        val by = GenerateUnsafeProjection.createCode(ctx, bound)
        s"""
           |${by.code}
           |$noted.observe(${by.value}, ${time.value});
         """.stripMargin
      }
    s"""
       |if (!${time.isNull}) {
       |  $note
       |}
       |${consume(ctx, input)}
     """.stripMargin
  }

  override def simpleString(maxFields: Int): String = {
    val by = if (substream.isEmpty) "" else substream.mkString(", substream=[", ", ", "]")
    s"KeyedWatermark ${spec.name}: $eventTime, key=${spec.key}, ${spec.policy}$by"
  }

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): KeyedWatermarkExec = copy(left = newLeft, right = newRight)
}
