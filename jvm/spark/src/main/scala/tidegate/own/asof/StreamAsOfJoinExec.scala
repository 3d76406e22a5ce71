package tidegate.own.asof

import java.util.concurrent.TimeUnit

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.streaming.state.StateStoreColFamilySchema
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.tidegate.OperatorState
import org.apache.spark.sql.types.StructType
import tidegate.columns.EventTimeTag
import tidegate.core.clock.OperatorBatch
import tidegate.errors.CheckpointErrors
import tidegate.operators.SideLimit
import tidegate.own.due.ChunkedKeys
import tidegate.own.{OperatorContext, OwnOperatorExec, StateMark}
import tidegate.plans.OperatorName

/**
 * Joins each left row with the newest version of its key as of the time of the row, when the
 * watermark of the right side has passed that time.
 *
 * @param owner
 *   the operator of a query; none if the query has not started
 * @param watermarks
 *   the watermarks of both sides, when the operator is executed, and whether a time at a watermark
 *   has passed too; none until the operator has its watermarks
 */
final case class StreamAsOfJoinExec(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftTime: Attribute,
    rightTime: Attribute,
    toleranceMs: Option[Long],
    mark: StateMark,
    isOuter: Boolean,
    condition: Option[Expression],
    owner: Option[OperatorName],
    @transient watermarks: Option[() => AsOfWatermarks],
    context: OperatorContext,
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with OwnOperatorExec {

  override def output: Seq[Attribute] = StreamAsOfJoin.output(left.output, right.output)

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] = Seq(leftKeys, rightKeys).map {
    OperatorState.grouped(_, stateInfo, conf)
  }

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftKeys, rightKeys).map(_.map(SortOrder(_, Ascending)))

  override protected def keyColumns: StructType = ChunkedKeys.schema(leftKeys)

  override protected def valueSchema: StructType =
    AsOfStateSchema.value(left.output, right.output, keySchema)

  /** Spark compares the types of the columns, and not their names. */
  override protected def check(stored: StateStoreColFamilySchema): Unit =
    Seq(true, false).foreach { isLeft =>
      val before = AsOfStateSchema.columnsIn(stored.valueSchema, isLeft)
      val now = AsOfStateSchema.columnsIn(valueSchema, isLeft)
      if (!AsOfStateSchema.haveSameNames(before, now)) {
        val side = if (isLeft) "left" else "right"
        throw CheckpointErrors.stateRefused(
          s"`$label`",
          s"rows of its $side side, with the columns ${before.toDDL}",
          s"the query has the columns ${now.toDDL} in their places: columns that are not used " +
            "after the join are not kept. If only names have changed, give the columns their " +
            "former names before the join"
        )
      }
    }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val times = watermarks
      .getOrElse(throw new IllegalStateException(s"$nodeName has no watermarks"))
      .apply()
    def columns(side: SparkPlan, keys: Seq[Expression], time: Attribute) =
      AsOfColumns(side.output, keys, StreamAsOfJoinExec.placeOf(time, side.output))
    val join = AsOfTask(
      Pair(columns(left, leftKeys, leftTime), columns(right, rightKeys, rightTime)),
      condition,
      isOuter,
      toleranceMs.map(TimeUnit.MILLISECONDS.toMicros),
      times.limits(_.evictionMs, leftTime, rightTime),
      times.limits(_.evictedMs, leftTime, rightTime),
      output,
      keySchema,
      valueSchema
    )
    val told = context.due
    val sides =
      left.execute().zipPartitions(right.execute()) { (l, r) => Iterator.single(Pair(l, r)) }
    withStore(sides, countsRows = false) { (task, both) =>
      val (results, atEnd) = join.run(task, both.next())
      task.commitAtEnd(
        results,
        counted = () => Some(atEnd.count),
        tell = () =>
          told.zip(atEnd.earliest).foreach { case (due, micros) =>
            due.tell(task.partition, micros)
          }
      )
    }
  }

  override def describe: String =
    s"${if (isOuter) "LeftOuter" else "Inner"}, ${leftKeys.mkString("[", ", ", "]")}, " +
      s"${rightKeys.mkString("[", ", ", "]")}, $leftTime >= $rightTime" +
      toleranceMs.fold("")(ms => s", tolerance=${ms}ms") + condition.fold("")(c => s", $c")

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): StreamAsOfJoinExec = copy(left = newLeft, right = newRight)
}

private object StreamAsOfJoinExec {

  private def placeOf(time: Attribute, columns: Seq[Attribute]): Int = {
    val ordinal = columns.indexWhere(_.exprId == time.exprId)
    // Memory would be read that is not the row's.
    if (ordinal < 0)
      throw new IllegalStateException(s"The time $time is not in ${columns.mkString(", ")}.")
    ordinal
  }
}

/**
 * The watermarks of an as-of join in a batch.
 *
 * @param left
 *   of the left rows, by which they leave
 * @param right
 *   of the versions, by which they leave
 * @param isInclusive
 *   whether a time at the watermark has passed too, as in Spark
 */
final case class AsOfWatermarks(left: OperatorBatch, right: OperatorBatch, isInclusive: Boolean) {

  private[asof] def limits(
      ms: OperatorBatch => Long,
      leftTime: Attribute,
      rightTime: Attribute
  ): AsOfLimits = {
    def isPassed(time: Attribute) = isInclusive || EventTimeTag.closesWindow(time)
    AsOfLimits(
      decided = SideLimit.upTo(ms(left), isPassed(rightTime)),
      passed = SideLimit.upTo(ms(right), isPassed(rightTime) && isPassed(leftTime))
    )
  }
}
