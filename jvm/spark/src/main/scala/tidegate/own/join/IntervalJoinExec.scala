package tidegate.own.join

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.tidegate.OperatorState
import org.apache.spark.sql.types.StructType
import tidegate.operators.SideLimit
import tidegate.own.due.ChunkedKeys
import tidegate.own.{OperatorContext, OwnOperatorExec, StateMark}
import tidegate.plans.OperatorName

/**
 * Joins two streams whose rows leave the state on both sides as time goes on.
 *
 * @param condition
 *   what else must be true of a pair whose keys are equal
 * @param reach
 *   how far apart the times of a pair may be
 * @param times
 *   the names of the columns by which the rows of each side leave the state
 * @param limits
 *   says what lets rows of each side leave the state in this batch, when the operator is executed;
 *   none until the operator has its watermarks
 */
final case class IntervalJoinExec(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    condition: Option[Expression],
    reach: Reach,
    owner: OperatorName,
    times: Sides[String],
    @transient limits: Option[Sides[() => SideLimit]],
    context: OperatorContext,
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with OwnOperatorExec {

  /** Nullable, because rows of earlier batches may have NULL where those of this batch cannot. */
  override def output: Seq[Attribute] =
    IntervalJoin.output(joinType, left.output, right.output).map(_.withNullability(true))

  override protected def mark: StateMark = IntervalJoin.mark(times)

  override def outputPartitioning: Partitioning = joinType match {
    case _: InnerLike =>
      PartitioningCollection(Seq(left.outputPartitioning, right.outputPartitioning))
    case RightOuter => right.outputPartitioning
    case FullOuter  => UnknownPartitioning(left.outputPartitioning.numPartitions)
    case _          => left.outputPartitioning
  }

  override def requiredChildDistribution: Seq[Distribution] = Seq(leftKeys, rightKeys).map {
    OperatorState.grouped(_, stateInfo, conf)
  }

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftKeys, rightKeys).map(_.map(SortOrder(_, Ascending)))

  override protected def keyColumns: StructType = ChunkedKeys.schema(leftKeys)

  override protected def valueSchema: StructType =
    JoinStateSchema.value(left.output, right.output, keySchema)

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val join = new IntervalJoinTask(
      Sides(JoinInput(left.output, leftKeys), JoinInput(right.output, rightKeys)),
      JoinCondition.of(condition, Sides(left, right).map(_.outputSet), Sides(leftKeys, rightKeys)),
      JoinRules.of(joinType),
      reach,
      limits
        .getOrElse(throw new IllegalStateException(s"$nodeName has no watermarks"))
        .map(_.apply()),
      output,
      keySchema,
      valueSchema
    )
    val told = context.due
    val sides =
      left.execute().zipPartitions(right.execute()) { (l, r) => Iterator.single(Sides(l, r)) }
    withStore(sides, countsRows = false) { (task, both) =>
      val (results, atEnd) = join.run(task, both.next())
      def tell(): Unit =
        told.zip(Sides.Both).foreach { case (due, isLeft) =>
          due.tell(task.partition, atEnd.earliest.of(isLeft))
        }
      task.commitAtEnd(
        results,
        counted = () => Some(atEnd.count),
        tell = () => tell()
      )
    }
  }

  override def describe: String =
    s"$joinType, ${leftKeys.mkString("[", ", ", "]")}, ${rightKeys.mkString("[", ", ", "]")}" +
      condition.fold("")(c => s", $c")

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): IntervalJoinExec = copy(left = newLeft, right = newRight)
}
