package tidegate.own.deduplication

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.{
  SparkInternals,
  StatefulOperatorCustomMetric,
  StatefulOperatorCustomSumMetric
}
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import tidegate.columns.EventTimeTag
import tidegate.core.EndOfTime
import tidegate.core.due.DueKeys
import tidegate.execution.DropLateExec
import tidegate.own.due.{DueSchema, StateDuePages}
import tidegate.own.{OperatorContext, OwnOperatorExec, StateMark}

/**
 * Passes the first of the rows with equal keys, as Spark's operators do; finds the keys whose time
 * has come without a walk over all keys.
 */
final case class DeduplicateByTimeExec(
    keys: Seq[Attribute],
    eventTime: Attribute,
    retentionMs: Option[Long],
    isInclusive: Boolean,
    context: OperatorContext,
    child: SparkPlan
) extends UnaryExecNode
    with OwnOperatorExec {

  override def output: Seq[Attribute] = child.output

  override protected def mark: StateMark = StateMark(DeduplicateByTime.StateName)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] = Seq(grouped(keys))

  override protected def keyColumns: StructType =
    DueSchema.key(StructType(keys.map(k => StructField(k.name, k.dataType))))

  override protected def valueSchema: StructType = DueSchema.value(
    StructType(Seq(StructField(SeenKeys.ExpiresAt, LongType))),
    keySchema
  )

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric("numDroppedDuplicateRows", "number of duplicates dropped")
  )

  /** The time, in µs, up to which keys leave at a watermark. */
  private def limit(watermarkMs: Long): Long =
    if (retentionMs.isDefined) EndOfTime.micros(watermarkMs)
    else {
      val atWatermark = isInclusive || EventTimeTag.closesWindow(eventTime)
      DropLateExec.lateUpTo(watermarkMs, atWatermark).getOrElse(Long.MinValue)
    }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val times = context.times
    val (before, now) = (limit(times.evictedMs), limit(times.evictionMs))
    val (stateKey, stateValue) = (keySchema, valueSchema)
    val normalized = DueSchema.keyColumns(keys.map(SparkInternals.normalized))
    val (told, counts) = (context.due, countsItself)
    val (time, retention, columns) = (EventTimeTag.decisive(eventTime), retentionMs, child.output)
    withStore(child.execute(), countsRows = !counts) { (task, rows) =>
      val count = Option.when(counts)(StateDuePages.count(task.uncounted, stateKey, stateValue, 0))
      val expiring =
        new DueKeys[UnsafeRow](new StateDuePages(task.uncounted, stateKey, stateValue), before)
      val seen = new SeenKeys(
        task.rows(count),
        expiring,
        UnsafeProjection.create(normalized, columns),
        new Expiry(UnsafeProjection.create(Seq(time), columns), retention),
        stateValue,
        task.metric("numDroppedDuplicateRows")
      )
      val first = rows.filter(seen.isFirst)
      // Lazy: keys leave after all rows have been looked up.
      task.commitAtEnd(
        first ++ seen.removed(before, now),
        () => expiring.rows,
        () => count.map(_.write()),
        tell = () => told.foreach(_.tell(task.partition, expiring.earliest))
      )
    }
  }

  override def describe: String = {
    val kept = retentionMs.fold("")(ms => s", kept for ${ms}ms")
    s"keys=${keys.mkString("[", ", ", "]")}, eventTime=$eventTime$kept"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): DeduplicateByTimeExec =
    copy(child = newChild)
}
