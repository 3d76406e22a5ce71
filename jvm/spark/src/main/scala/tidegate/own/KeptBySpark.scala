package tidegate.own

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import tidegate.execution.DescribesItself

/**
 * Shows in `EXPLAIN` why the operator above keeps Spark's own plan, although it is of a kind for
 * which we have an operator; rows pass unchanged.
 */
final case class KeptBySpark(reason: String, child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): KeptBySpark =
    copy(child = newChild)
}

/** Passes rows through, and shows the reason. */
final case class KeptBySparkExec(reason: String, child: SparkPlan)
    extends UnaryExecNode
    with CodegenSupport
    with DescribesItself {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

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

  override protected def withNewChildInternal(newChild: SparkPlan): KeptBySparkExec =
    copy(child = newChild)
}
