package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.Metadata
import tidegate.plans.RetagEventTime

/** Passes rows through; Spark's stateful operators read the metadata of its output. */
final case class RetagEventTimeExec(
    columns: Seq[Attribute],
    metadata: Seq[Metadata],
    child: SparkPlan
) extends UnaryExecNode
    with CodegenSupport
    with DescribesItself {

  override def output: Seq[Attribute] = RetagEventTime.retag(child.output, columns, metadata)

  @transient override lazy val references: AttributeSet = AttributeSet.empty

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String =
    consume(ctx, input)

  override def describe: String = columns.mkString("[", ", ", "]")

  override protected def withNewChildInternal(newChild: SparkPlan): RetagEventTimeExec =
    copy(child = newChild)
}
