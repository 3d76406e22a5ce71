package tidegate.own.order

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.streaming.state.StateStoreColFamilySchema
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.OperatorState
import org.apache.spark.sql.types.StructType
import tidegate.columns.EventTimeTag
import tidegate.errors.CheckpointErrors
import tidegate.execution.DropLateExec
import tidegate.own.{OperatorContext, OwnOperatorExec, StateMark}
import tidegate.plans.EmitsEarlierRows

/**
 * Keeps rows in the state until the watermark has passed them, and emits them by their time, and
 * rows with the same time by their arrival.
 *
 *   - A row leaves when it would be late: from then on no earlier row can come.
 *   - A row without a time has no place in the order: it passes at once, before all other rows that
 *     leave in its batch.
 *   - The rows that leave are read one after the other; only with an unsorted state store are the
 *     keys of all of them, or of all of their pages, in memory.
 *
 * @param nullable
 *   the columns in which rows of earlier batches may have NULL
 */
final case class EventTimeOrderExec(
    partitionBy: Seq[Attribute],
    eventTime: Attribute,
    nullable: Set[ExprId],
    context: OperatorContext,
    child: SparkPlan
) extends UnaryExecNode
    with OwnOperatorExec {

  override def output: Seq[Attribute] = EmitsEarlierRows.restored(child.output, nullable)

  override protected def mark: StateMark = OrderState.of(eventTime, partitionBy).mark

  override def outputPartitioning: Partitioning = child.outputPartitioning

  /**
   * None, although the rows of a batch are in order. Spark hands the reported order to the
   * DataFrame of `foreachBatch` without renaming its columns, which may have other ids there; then
   * Spark does not find them when this DataFrame is persisted.
   */
  override def outputOrdering: Seq[SortOrder] = Nil

  override def requiredChildDistribution: Seq[Distribution] = Seq(
    if (partitionBy.isEmpty) AllTuples else grouped(partitionBy)
  )

  override protected def keyColumns: StructType = OrderStateSchema.key

  override protected def valueSchema: StructType = OrderStateSchema.value(child.output)

  /** Spark compares the types of the columns, and not their names. */
  override protected def check(stored: StateStoreColFamilySchema): Unit = {
    val before = OrderStateSchema.columns(stored.valueSchema)
    val now = OrderStateSchema.row(child.output)
    if (!OrderStateSchema.areSame(before, now))
      throw CheckpointErrors.stateRefused(
        s"`$label`",
        s"rows that wait, with the columns ${before.toDDL}",
        s"the query has the columns ${now.toDDL} in their places: columns that are not used after " +
          "the order are not kept. If only names have changed, give the columns their former names " +
          "before the order"
      )
  }

  /**
   * The time, in µs, up to which rows are due. None if the watermark has not moved: rows below it
   * have already left, and rows that come now are not late.
   */
  private def dueUpTo: Option[Long] = {
    val times = context.times
    Some(times.evictionMs)
      .filter(_ > times.closedMs)
      .flatMap(DropLateExec.lateUpTo(_, EventTimeTag.closesWindow(eventTime)))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val (limit, told, batchId) = (dueUpTo, context.due, getStateInfo.storeVersion)
    val isSorted = conf.stateStoreProviderClass == OperatorState.rocksDbProvider
    val (columns, time) = (child.output, EventTimeTag.decisive(eventTime))
    withStore(child.execute(), countsRows = false) { (task, rows) =>
      val timeOf = UnsafeProjection.create(Seq(time), columns)
      val waiting = new PagedRows(
        task.uncounted,
        isSorted,
        batchId,
        columns.size,
        timeOf(_).getLong(0),
        PageSizes(),
        task.metric("numUpdatedStateRows"),
        task.metric("numRemovedStateRows")
      )
      val toUnsafe = UnsafeProjection.create(columns, columns)
      def asUnsafe(row: InternalRow) = row match {
        case u: UnsafeRow => u
        case other        => toUnsafe(other)
      }
      val withoutTime = rows.filter { row =>
        val t = timeOf(row)
        val hasTime = !t.isNullAt(0)
        if (hasTime) waiting.put(t.getLong(0), asUnsafe(row))
        !hasTime
      }
      // Lazy: the search for due rows begins after all rows are in the state.
      val leaving = withoutTime ++ limit.iterator.flatMap(waiting.takeUpTo)
      task.commitAtEnd(
        leaving,
        counted = () => Some(waiting.finish()),
        tell =
          () => told.foreach(_.tell(task.partition, waiting.first.micros, waiting.first.isOfAll))
      )
    }
  }

  override def describe: String =
    s"partitionBy=${partitionBy.mkString("[", ", ", "]")}, eventTime=$eventTime"

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeOrderExec =
    copy(child = newChild)
}
