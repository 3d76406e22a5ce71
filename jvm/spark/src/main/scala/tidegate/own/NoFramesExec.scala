package tidegate.own

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import tidegate.execution.DescribesItself

/** Passes rows through, and shows why windows are not put together from frames. */
final case class NoFramesExec(reason: String, child: SparkPlan)
    extends UnaryExecNode
    with CodegenSupport
    with DescribesItself {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override def supportCodegen: Boolean = child match {
    case c: CodegenSupport => c.supportCodegen
    case _                 => false
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String =
    consume(ctx, input)

  override def describe: String = reason

  override def simpleString(maxFields: Int): String = s"$nodeName: $describe"

  override protected def withNewChildInternal(newChild: SparkPlan): NoFramesExec =
    copy(child = newChild)
}
