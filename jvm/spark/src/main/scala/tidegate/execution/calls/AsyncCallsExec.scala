package tidegate.execution.calls

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.Metadata
import org.apache.spark.util.SerializableConfiguration
import tidegate.execution.{DescribesItself, TaskFile}
import tidegate.paths.FolderCall
import tidegate.plans.AsyncCalls

/**
 * Counts the calls, writes dead letters, and passes the other rows on; see [[AsyncCalls]].
 *
 * @param batch
 *   the number of the batch of a stream; a query on batch data takes the one in which its tasks run
 */
final case class AsyncCallsExec(
    times: Seq[Attribute],
    metadata: Seq[Metadata],
    calls: Seq[Attribute],
    function: String,
    deadLetters: Option[String],
    batch: Option[Long],
    child: SparkPlan
) extends UnaryExecNode
    with DescribesItself {

  override lazy val metrics: Map[String, SQLMetric] = CallCounts.metrics(sparkContext)

  override def output: Seq[Attribute] = AsyncCalls.output(child.output, times, metadata, calls)

  @transient override lazy val references: AttributeSet = AttributeSet(calls)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def doExecute(): RDD[InternalRow] = {
    val input = child.output
    val places = calls.map(a => input.indexWhere(_.exprId == a.exprId))
    val counters = metrics
    val columns = output
    val folder = deadLetters.map { path =>
      path -> sparkContext.broadcast(
        new SerializableConfiguration(SparkInternals.hadoopConf(session))
      )
    }
    val ofStream = batch
    // Not the partition of the task, which has several of these after `coalesce`.
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val task = TaskContext.get()
      val counts = new CallCounts(places, counters)
      val letters = folder.map { case (path, conf) =>
        new DeadLetterFile(
          path,
          ofStream.getOrElse(SparkInternals.batchId(task)),
          partition,
          task.taskAttemptId(),
          conf.value.value
        )
      }
      def writing(step: => Unit): Unit =
        FolderCall.inTask("Writing dead letters", folder.fold("")(_._1))(step)
      var isRead = false
      TaskFile.atEnd(task) { isFailed =>
        counts.end()
        letters.foreach { file =>
          writing(if (isFailed) file.abort() else file.commit(isRead))
        }
      }
      val project = UnsafeProjection.create(columns, input)
      val all = new Iterator[InternalRow] {
        override def hasNext: Boolean = {
          isRead = !rows.hasNext
          !isRead
        }
        override def next(): InternalRow = rows.next()
      }
      all.flatMap { row =>
        counts.note(row) match {
          case None         => Some(project(row))
          case Some(letter) =>
            letters.foreach(file => writing(file.add(letter)))
            None
        }
      }
    }
  }

  override def describe: String =
    function + deadLetters.fold("")(folder => s", deadLetters=$folder")

  override protected def withNewChildInternal(newChild: SparkPlan): AsyncCallsExec =
    copy(child = newChild)
}
