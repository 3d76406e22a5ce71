package tidegate.execution.calls

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.StructType
import tidegate.execution.DescribesItself
import tidegate.plans.{AsyncFunction, CallKey, CallOptions}

/**
 * Calls a function with each row, many calls at a time; see `AsyncMap`.
 *
 * @param batch
 *   the number of the batch of a stream; a query on batch data takes the one in which its tasks run
 */
final case class AsyncMapExec(
    function: AsyncFunction,
    options: CallOptions,
    result: StructType,
    input: Seq[Attribute],
    output: Seq[Attribute],
    batch: Option[Long],
    child: SparkPlan
) extends UnaryExecNode
    with DescribesItself {

  override def producedAttributes: AttributeSet = AttributeSet(output)

  @transient override lazy val references: AttributeSet = AttributeSet(input)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def doExecute(): RDD[InternalRow] = {
    val read = input
    val available = child.output
    val columns = output
    val (calls, wanted, called) = (options, result, function)
    val ofStream = batch
    // Not the partition of the task, which has several of these after `coalesce`.
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val schema = DataTypeUtils.fromAttributes(read)
      val toRow = ExpressionEncoder(schema).resolveAndBind(read).createDeserializer()
      val select = UnsafeProjection.create(read, available)
      val task = TaskContext.get()
      val hooks = new Hooks(called, calls)
      hooks.setup()
      val ended = new CallIterator(
        rows.map(row => toRow(select(row))),
        called,
        calls,
        CallKey(ofStream.getOrElse(SparkInternals.batchId(task)), partition, _)
      )
      var failure: Option[Throwable] = None
      task.addTaskFailureListener((_, error) => failure = Some(error))
      val _ = task.addTaskCompletionListener[Unit] { _ =>
        ended.close()
        hooks.teardown(failure)
      }
      val results = new CallResults(schema, wanted, calls)
      val project = UnsafeProjection.create(columns, columns)
      ended.map(call => project(results.row(call)))
    }
  }

  override def describe: String = options.function

  override protected def withNewChildInternal(newChild: SparkPlan): AsyncMapExec =
    copy(child = newChild)
}
