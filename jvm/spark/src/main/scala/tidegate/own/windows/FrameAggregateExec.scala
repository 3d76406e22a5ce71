package tidegate.own.windows

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
import org.apache.spark.sql.tidegate.OperatorState
import org.apache.spark.sql.types.StructType
import tidegate.columns.DistinctNames
import tidegate.core.EndOfTime
import tidegate.core.window.WindowGrid
import tidegate.errors.CheckpointErrors
import tidegate.own.aggregates.{FrameAggregates, FrameStateSchema, FrameStore}
import tidegate.own.{OperatorContext, OwnOperatorExec, RowCount, StateMark}
import tidegate.settings.Settings
import tidegate.statistics.DonePartitions

/**
 * Keeps the frames of each key, and emits the windows that are closed in this batch.
 *
 * Windows are due that end after the time to which the previous batch has come, and not after the
 * eviction watermark of this batch.
 *
 * @param isShort
 *   whether the rows of the state are short ones
 * @param restores
 *   where tasks note that they have brought the rows of an earlier run to their places; none if all
 *   have, or outside of a query
 * @param child
 *   the partial aggregation: keys, frame, buffers
 */
final case class FrameAggregateExec(
    aggregates: FrameAggregates,
    grid: WindowGrid,
    isShort: Boolean,
    restores: Option[DonePartitions],
    context: OperatorContext,
    child: SparkPlan
) extends UnaryExecNode
    with PartitioningPreservingUnaryExecNode
    with OwnOperatorExec {

  override def output: Seq[Attribute] = aggregates.results.map(_.toAttribute)

  override def producedAttributes: AttributeSet =
    AttributeSet(aggregates.functions.map(_.resultAttribute) ++ aggregates.buffers)

  override protected def mark: StateMark = StateMark(FrameAggregate.StateName)

  override protected def outputExpressions: Seq[NamedExpression] = aggregates.results

  override def requiredChildDistribution: Seq[Distribution] = Seq(grouped(aggregates.keys))

  override protected def keyColumns: StructType =
    StructType(DistinctNames.of(fromAttributes(aggregates.stateKey)))

  override protected def valueSchema: StructType =
    if (isShort) ShortRow.schema(aggregates.entryType) else FrameRow.schema(aggregates.entryType)

  override protected def check(stored: StateStoreColFamilySchema): Unit = {
    val isShort = FrameAggregate.hasShortRows(stored.valueSchema)
    val path = if (isShort) ShortRow.EntriesPath else FrameRow.EntriesPath
    FrameStateSchema.check(stored.valueSchema, path, aggregates.entryType) { (before, now) =>
      CheckpointErrors.stateRefused(
        s"`$label`",
        s"frames with the buffers ${before.mkString(", ")}",
        s"those of the query are ${now.mkString(", ")}"
      )
    }
  }

  /**
   * The number in a key is a prefix: rows of a window are found by it, and a walk over the heads
   * does not pass the chunks. Column families would do the same, but Spark's state reader opens
   * only those of Spark's own operators.
   */
  private def isPrefixed: Boolean =
    OperatorState.findsByPrefix(conf, Settings.StateSharesVersions.in(conf))

  override def operatorStateMetadata(
      stateSchemaPaths: List[List[String]]
  ): OperatorStateMetadata = {
    val info = getStateInfo
    val store = StateStoreMetadataV1(
      StateStoreId.DEFAULT_STORE_NAME,
      if (isPrefixed) 1 else 0,
      info.numPartitions
    )
    OperatorStateMetadataV1(OperatorInfoV1(info.operatorId, shortName), Array(store))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val micros = grid.inMicros
    val times = context.times
    val after = micros.lastEnd(EndOfTime.micros(times.closedMs))
    val until = micros.lastEnd(EndOfTime.micros(times.evictionMs))
    val (what, prefixed, short, restored, told) =
      (aggregates, isPrefixed, isShort, restores, context.due)
    // The first batch begins with an empty state.
    val seesAll = until > after || getStateInfo.storeVersion == 0
    val maxBytes = Settings.WindowsMaxInputBytes.in(conf)
    val (values, counts) = (valueSchema, countsItself)
    val (countKey, rootKey) = (FrameStore.countKey(keySchema), FrameStore.rootKey(keySchema))
    withStore(child.execute(), prefixed, countsRows = !counts) { (task, rows) =>
      val count = Option.when(counts) {
        val column = if (short) ShortRow.End else FrameRow.Closed
        new RowCount(task.uncounted, countKey, values, column, !FrameStore.isCount(_))
      }
      val own = task.rows(count, prefixed)
      val windows =
        new FrameWindowIterator(
          rows,
          own,
          what,
          micros,
          after,
          until,
          maxBytes,
          short,
          restored.isDefined,
          rootKey
        )
      task.commitAtEnd(
        windows,
        counted = () => count.map(_.write()),
        tell = () => {
          restored.foreach(_.add(task.partition))
          told.foreach(_.tell(task.partition, windows.earliest, seesAll))
        }
      )
    }
  }

  override def describe: String = {
    val keys = aggregates.keys.mkString("[", ", ", "]")
    val functions = aggregates.functions.mkString("[", ", ", "]")
    s"keys=$keys, functions=$functions, $grid"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): FrameAggregateExec =
    copy(child = newChild)
}
