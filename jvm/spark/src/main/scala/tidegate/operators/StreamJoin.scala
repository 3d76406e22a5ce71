package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.StreamingSymmetricHashJoinExec
import tidegate.core.clock.{InputTime, JoinTime}

/** Joins of streams, with rows of both sides in their state. */
private[tidegate] object StreamJoin extends TimedOperator {

  override val name: String = "join"

  override def is(plan: LogicalPlan): Boolean = unapply(plan).isDefined

  def unapply(plan: LogicalPlan): Option[Join] = plan match {
    case j: Join if j.left.isStreaming && j.right.isStreaming => Some(j)
    case _                                                    => None
  }

  override def isPlannedAs(node: SparkPlan): Boolean =
    node.isInstanceOf[StreamingSymmetricHashJoinExec]

  /**
   * The columns that one side of a join runs on: the columns in its bounds, among them plain ones
   * that are equal to a keyed one. A join without bounds works without a time, and only drops late
   * rows by one: by a keyed window before a keyed time, and by none where two are equally good.
   */
  def times(join: Join, side: LogicalPlan): Seq[Attribute] = {
    val bounds = JoinBounds.of(join)
    val inBounds = side.output
      .filter(a => bounds.exists(_.isOn(a)))
      // A column by which rows leave the state comes first: only one column can have Spark's tag.
      .sortBy(a => !bounds.exists(_.limited.exprId == a.exprId))
    if (inBounds.nonEmpty) inBounds
    else KeyedColumns.only(KeyedColumns.best(KeyedColumns.keyed(side.output, side.output))).toSeq
  }

  /** An equality with a plain column is no less an equality if its time does not reach the join. */
  override def isNeeded(operator: LogicalPlan, time: Attribute): Boolean =
    JoinBounds.of(operator.asInstanceOf[Join]).exists(b => !b.isOfPlain && b.isOn(time))

  /**
   * The keys of either side for which the bounds set a limit, held back by the rows that the state
   * may still emit.
   */
  override def passedOn(operator: LogicalPlan, times: TimesByKey): Map[Byte, InputTime] = {
    val join = operator.asInstanceOf[Join]
    val (left, right) = (times.of(join.left), times.of(join.right))
    val sides = (left.values ++ right.values).toSeq.distinct
    val limits = new JoinLimits(join, times)
    val held = for {
      (side, ofSide) <- Seq(join.left -> left, join.right -> right)
      (key, time) <- ofSide
    } yield key -> (time -> limits.ofKey(side, key))
    held
      .groupMap(_._1)(_._2)
      // A key that both sides have is passed on only if both sides have a limit for it.
      .collect {
        case (key, parts) if parts.forall { case (_, limits) => limits.nonEmpty } =>
          val inputs = parts.flatMap { case (time, limits) => time +: limits }
          key -> JoinTime(inputs.distinct, sides)
      }
  }
}
