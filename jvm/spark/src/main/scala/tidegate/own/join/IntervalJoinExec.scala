package tidegate.own.join

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.tidegate.{OperatorState, StatefulOperatorStateInfo}
import org.apache.spark.sql.types.StructType
import tidegate.execution.DescribesItself
import tidegate.operators.SideLimit
import tidegate.own.OneStoreExec
import tidegate.plans.OperatorName
import tidegate.statistics.DueTimes

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
 *   what lets rows of each side leave the state in this batch; none until the operator has its
 *   watermarks
 * @param stateInfo
 *   where the state is; none outside of a query
 * @param due
 *   what the tasks tell of the times at which something is due; none outside of a query
 */
final case class IntervalJoinExec(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    condition: Option[Expression],
    reach: Reach,
    owner: OperatorName,
    times: Sides[String],
    limits: Option[Sides[SideLimit]],
    stateInfo: Option[StatefulOperatorStateInfo],
    due: Sides[Option[DueTimes]],
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with OneStoreExec
    with DescribesItself {

  override def operator: Option[String] = Some(owner.name)

  /** Nullable, because rows of earlier batches may have NULL where those of this batch cannot. */
  override def output: Seq[Attribute] =
    IntervalJoin.output(joinType, left.output, right.output).map(_.withNullability(true))

  override def shortName: String = IntervalJoin.StateName

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

  override protected def keySchema: StructType = JoinStateSchema.key(leftKeys, times)

  override protected def valueSchema: StructType =
    JoinStateSchema.value(left.output, right.output, keySchema)

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // force lazy init at driver
    val join = new IntervalJoinTask(
      Sides(JoinInput(left.output, leftKeys), JoinInput(right.output, rightKeys)),
      JoinCondition.of(condition, Sides(left, right).map(_.outputSet), Sides(leftKeys, rightKeys)),
      JoinRules.of(joinType),
      reach,
      limits.getOrElse(throw new IllegalStateException(s"$nodeName has no watermarks")),
      output,
      keySchema,
      valueSchema
    )
    val told = due
    val sides =
      rowsOf(left).zipPartitions(rowsOf(right)) { (l, r) => Iterator.single(Sides(l, r)) }
    withStore(sides, countsRows = false) { (task, both) =>
      val (results, atEnd) = join.run(
        task.store,
        both.next(),
        task.metric("numUpdatedStateRows"),
        task.metric("numRemovedStateRows")
      )
      def tell(isLeft: Boolean): Unit =
        told.of(isLeft).foreach(_.tell(task.partition, atEnd.earliest.of(isLeft)))
      task.commitAtEnd(
        results,
        counted = () => Some(atEnd.count),
        tell = () => Sides.Both.foreach(tell)
      )
    }
  }

  override def describe: String =
    s"$joinType, ${leftKeys.mkString("[", ", ", "]")}, ${rightKeys.mkString("[", ", ", "]")}" +
      condition.fold("")(c => s", $c")

  override def simpleString(maxFields: Int): String = s"$nodeName($describe)"

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): IntervalJoinExec = copy(left = newLeft, right = newRight)
}
