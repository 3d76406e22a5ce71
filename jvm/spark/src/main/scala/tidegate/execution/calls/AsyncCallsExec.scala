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

/** Counts the calls, writes dead letters, and passes the other rows on; see [[AsyncCalls]]. */
final case class AsyncCallsExec(
    times: Seq[Attribute],
    metadata: Seq[Metadata],
    calls: Seq[Attribute],
    function: String,
    deadLetters: Option[DeadLetterFolder],
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
    val begun = deadLetters.map { folder =>
      val conf = SparkInternals.hadoopConf(session)
      folder.begin(conf) -> sparkContext.broadcast(new SerializableConfiguration(conf))
    }
    val written = calls
    val path = deadLetters.fold("")(_.path)
    // Not the partition of the task, which has several of these after `coalesce`.
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val task = TaskContext.get()
      val counts = new CallCounts(places, counters)
      val letters = begun.map { case (files, conf) =>
        new DeadLetterFile(files(partition), task.taskAttemptId(), conf.value.value)
      }
      def writing(step: => Unit): Unit =
        FolderCall.inTask("Writing dead letters", path)(step)
      lazy val letter = new LetterText(written, input)
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
        if (counts.note(row)) {
          letters.foreach(file => writing(file.add(letter.of(row))))
          None
        } else Some(project(row))
      }
    }
  }

  override def describe: String =
    function + deadLetters.fold("")(folder => s", deadLetters=${folder.path}")

  override protected def withNewChildInternal(newChild: SparkPlan): AsyncCallsExec =
    copy(child = newChild)
}
