package tidegate.own.sessions

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.types.DataTypeUtils.fromAttributes
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{
  PartitioningPreservingUnaryExecNode,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.sql.types.StructType
import tidegate.core.due.DueKeys
import tidegate.core.{EndOfTime, Saturating}
import tidegate.errors.CheckpointErrors
import tidegate.own.aggregates.{FrameAggregates, FrameStateSchema}
import tidegate.own.due.{DueSchema, StateDuePages}
import tidegate.own.{OperatorContext, OwnOperatorExec, StateMark}
import tidegate.plans.DropLate
import tidegate.settings.Settings

/**
 * Keeps the open sessions of each key, and emits those that close in this batch. A batch reads and
 * writes the keys of its rows and the keys that are due, and no others. A session closes when its
 * end is not after the eviction watermark.
 *
 * @param child
 *   the partial aggregation: keys, start and end of a part of a session, buffers
 */
final case class SessionAggregateExec(
    aggregates: FrameAggregates,
    gapMicros: Long,
    context: OperatorContext,
    child: SparkPlan
) extends UnaryExecNode
    with PartitioningPreservingUnaryExecNode
    with OwnOperatorExec {

  override def output: Seq[Attribute] = aggregates.results.map(_.toAttribute)

  override def producedAttributes: AttributeSet =
    AttributeSet(aggregates.functions.map(_.resultAttribute) ++ aggregates.buffers)

  override protected def mark: StateMark = StateMark(SessionAggregate.StateName)

  override protected def outputExpressions: Seq[NamedExpression] = aggregates.results

  override def requiredChildDistribution: Seq[Distribution] = Seq(grouped(aggregates.keys))

  override protected def keyColumns: StructType =
    DueSchema.key(fromAttributes(aggregates.copy(pageKey = None).stateKey))

  override protected def valueSchema: StructType =
    DueSchema.value(SessionRow.schema(aggregates.entryType), keySchema)

  override protected def check(stored: StateStoreColFamilySchema): Unit =
    FrameStateSchema.check(stored.valueSchema, SessionRow.EntriesPath, aggregates.entryType) {
      (before, now) =>
        CheckpointErrors.stateRefused(
          s"`$label`",
          s"sessions with the buffers ${before.mkString(", ")}",
          s"those of the query are ${now.mkString(", ")}"
        )
    }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val pageKey = keySchema.last
    val what = aggregates.copy(pageKey = Some(AttributeReference(pageKey.name, pageKey.dataType)()))
    val times = context.times
    val before = EndOfTime.micros(times.evictedMs)
    val until = EndOfTime.micros(times.evictionMs)
    val lookBy = SessionAggregateExec.lookBy(until, gapMicros)
    val maxBytes = Settings.WindowsMaxInputBytes.in(conf)
    val (keys, values, told, counts) = (keySchema, valueSchema, context.due, countsItself)
    withStore(child.execute(), countsRows = !counts) { (task, rows) =>
      val lookAt = what.entryType.size
      val count = Option.when(counts)(StateDuePages.count(task.uncounted, keys, values, lookAt))
      val own = task.rows(count)
      val dueKeys = new DueKeys(new StateDuePages(task.uncounted, keys, values), before)
      val sessions = new SessionIterator(rows, own, dueKeys, what, until, lookBy, maxBytes)
      task.commitAtEnd(
        sessions,
        () => dueKeys.rows,
        () => count.map(_.write()),
        tell = () => told.foreach(_.tell(task.partition, dueKeys.earliest))
      )
    }
  }

  override def describe: String = {
    val keys = aggregates.keys.mkString("[", ", ", "]")
    val functions = aggregates.functions.drop(1).mkString("[", ", ", "]")
    s"keys=$keys, functions=$functions, ${SessionAggregate.described(gapMicros)}"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SessionAggregateExec =
    copy(child = newChild)
}

object SessionAggregateExec {

  /** So many sessions of a key may end before the key is looked at again. */
  private val MostGaps = 64L

  /**
   * When a key is looked at at the latest, in µs; as late as needed before there is a watermark.
   */
  private[own] def lookBy(until: Long, gapMicros: Long): Long =
    if (until <= EndOfTime.micros(DropLate.LowestMs)) Long.MaxValue
    else Saturating.add(until, MostGaps * math.min(gapMicros, Long.MaxValue / MostGaps))
}
