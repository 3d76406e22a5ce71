package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state.StateStoreColFamilySchema
import org.apache.spark.sql.types.{ArrayType, StructType}
import tidegate.operators.{JoinBounds, StatefulOperators, StreamJoin}
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.{DropLate, OperatorName, OwnDecisions, OwnState}
import tidegate.settings.Setting
import tidegate.settings.Settings.JoinEnabled

/**
 * What the rows in the state of a join mean.
 *
 * @param reach
 *   how far apart the times of a pair may be
 * @param sides
 *   the columns of each side, and the name of the one by which its rows leave
 */
private[tidegate] final case class JoinState(reach: Reach, sides: Sides[JoinSide])
    extends OwnState {
  override def kind: String = Joins.kind
}

private[tidegate] final case class JoinSide(time: String, columns: Seq[String])

/** Joins of two streams whose rows leave the state on both sides, each by one time. */
private[tidegate] object Joins extends OwnOperator {

  override val kind: String = IntervalJoin.StateName

  override val noun: String = "join"

  override val names: Seq[String] = Seq(noun)

  override val enabled: Option[Setting[Boolean]] = Some(JoinEnabled)

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case StreamJoin(join) =>
      StatefulOperators.nameInQuery(join).map { owner =>
        Claim(
          Some(owner),
          Nil,
          isAppendOnly = false,
          isKeptForSpark = true,
          _ => stateOf(join, owner),
          // Spark's optimizer knows only its own join: see `planned`.
          _ => join
        )
      }
    case _ => None
  }

  private def stateOf(join: Join, owner: OperatorName): Either[String, JoinState] = {
    def of(side: LogicalPlan) = timesOf(side, owner) match {
      case Seq(drop) if drop.eviction.isDefined && !drop.isPlain =>
        Some(JoinSide(drop.time.name, side.output.map(_.name)))
      case _ => None
    }
    val sides = for (left <- of(join.left); right <- of(join.right)) yield Sides(left, right)
    sides
      .map(JoinState(reach(join, owner), _))
      .toRight("it has no time on each side by which rows leave the state")
  }

  private def timesOf(side: LogicalPlan, owner: OperatorName): Seq[DropLate] =
    side.collect { case d: DropLate if d.owner == owner => d }

  /** How much later than the left row the right row of a pair may be. */
  private def reach(join: Join, owner: OperatorName): Reach = {
    def timeOf(side: LogicalPlan) = timesOf(side, owner).headOption.map(_.time.exprId)
    val (left, right) = (timeOf(join.left), timeOf(join.right))
    // A bound says: limited >= setBy - by.
    def by(setBy: Option[Any], limited: Option[Any]) = JoinBounds
      .of(join)
      .filter(b => setBy.contains(b.setBy.exprId) && limited.contains(b.limited.exprId))
      .map(_.byMicros)
      .minOption
    Reach(by(left, right).fold(Long.MinValue)(-_), by(right, left).getOrElse(Long.MaxValue))
  }

  override def inWords(stored: StoredState): String = "the rows of an interval join"

  override val needed: String = "join of streams"

  /**
   * The state knows from when to when its chunks have rows: by the times of before. A column with a
   * name that the rows of before do not have is one that was renamed, if the former name is gone.
   */
  override def changed(
      operator: String,
      before: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] = {
    val refused = for {
      JoinState(_, sides) <- Seq(now)
      schema <- before.schema.toSeq
      former <- before.stateMark.map(_.meaning).toSeq
      (side, name, time) <- Seq(sides.left, sides.right)
        .lazyZip(Seq("left", "right"))
        .lazyZip(former)
      if side.time != time
      if columnsIn(schema, name).contains(side.time) || side.columns.contains(time)
    } yield s"the rows of its $name side are joined by `${side.time}` now, and were joined by " +
      s"`$time` before"
    refused.headOption.toLeft(None)
  }

  private def columnsIn(schema: StateStoreColFamilySchema, side: String): Seq[String] =
    schema.valueSchema(side).dataType match {
      case ArrayType(row: StructType, _) => row.fieldNames.toSeq
      case _                             => Nil
    }

  /**
   * Puts our own join in the place of Spark's, in the optimized plan of a batch: Spark's optimizer
   * knows only its own join, and Spark's planner would take it.
   */
  def planned(plan: LogicalPlan, decisions: OwnDecisions): LogicalPlan =
    plan.transformUp { case StreamJoin(j) =>
      val own = for {
        owner <- StatefulOperators.nameInQuery(j)
        JoinState(reach, _) <- decisions.states.get(owner.name)
        join <- planned(j, owner, reach)
      } yield join
      own.getOrElse(j)
    }

  private def planned(join: Join, owner: OperatorName, reach: Reach): Option[LogicalPlan] =
    join match {
      case ExtractEquiJoinKeys(joinType, leftKeys, rightKeys, condition, _, left, right, _) =>
        val (l, r) = (withTime(left, owner), withTime(right, owner))
        val own = IntervalJoin(leftKeys, rightKeys, joinType, condition, reach, owner, l, r)
        val isWider = own.output.size > join.output.size
        Some(if (isWider) Project(join.output, own) else own)
      // Without an equality Spark refuses the join.
      case _ => None
    }

  /**
   * A side with the time by which its rows leave the state. Where no condition of the join has it,
   * as with windows that are joined by their starts, the optimizer takes it for unused.
   */
  private def withTime(side: LogicalPlan, owner: OperatorName): LogicalPlan = {
    def missing(node: LogicalPlan) = new IllegalStateException(
      s"A side of the join ${owner.name} has no time, because ${node.nodeName} drops it."
    )
    def extended(plan: LogicalPlan, time: Attribute): LogicalPlan = plan match {
      case p if p.outputSet.contains(time) => p
      case p: Project                      =>
        Project(p.projectList :+ time, extended(p.child, time))
      // Such as Filter, RetagEventTime, and the calls of Python functions.
      case u: UnaryNode =>
        Some(u.withNewChildren(Seq(extended(u.child, time))))
          .filter(_.outputSet.contains(time))
          .getOrElse(throw missing(u))
      case other => throw missing(other)
    }
    timesOf(side, owner).headOption.fold(side)(drop => extended(side, drop.time))
  }

  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case node: IntervalJoin =>
      val drops = Sides(node.left, node.right).map { side =>
        timesOf(side, node.owner).headOption.getOrElse {
          throw new IllegalStateException(s"A side of the join ${node.owner.name} has no time.")
        }
      }
      IntervalJoinExec(
        node.leftKeys,
        node.rightKeys,
        node.joinType,
        node.condition,
        node.reach,
        node.owner,
        drops.map(_.time.name),
        None,
        in.contextOf(Some(node.owner.name), Seq(drops.left.operator, drops.right.operator)),
        in.planLater(node.left),
        in.planLater(node.right)
      )
  }
}
