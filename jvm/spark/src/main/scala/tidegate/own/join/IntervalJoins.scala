package tidegate.own.join

import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.execution.streaming.state.StateStoreColFamilySchema
import org.apache.spark.sql.types.{ArrayType, StructType}
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.{StatefulOperators, StreamJoin}
import tidegate.plans.{DropLate, OperatorName}
import tidegate.settings.Settings

/**
 * Decides which joins of a query are made by our own operator: those whose rows leave the state on
 * both sides, each by one time. Where the checkpoint has state, the checkpoint decides.
 */
private[tidegate] object IntervalJoins {

  /**
   * For the plan of a query that is about to start, with its `DropLate`s.
   *
   * @param isReplaced
   *   whether a setting replaces Spark's watermarks: such a query can go back to Spark, so new
   *   state is Spark's
   * @return
   *   the names of the joins
   * @throws AnalysisException
   *   if the checkpoint has the state of such a join, and the query no such join, or one with
   *   another time of a side
   */
  def atStart(
      plan: LogicalPlan,
      checkpoint: StateCheckpoint,
      isReplaced: Boolean
  ): Set[String] = {
    val stored = checkpoint.operators.filter(_._2 == IntervalJoin.StateName).keySet
    val isWanted = Settings.IntervalJoinEnabled.in(plan.conf) && !isReplaced &&
      checkpoint.operators.isEmpty
    val joins = joinsOf(plan)
    val chosen = joins.filter { case (_, owner) =>
      isWanted || stored.contains(StatefulOperators.ownId(plan, owner.name))
    }
    val (possible, others) = chosen.partition { case (join, owner) => isPossible(join, owner) }
    val missing = stored -- joins.map { case (_, owner) =>
      StatefulOperators.ownId(plan, owner.name)
    }
    if (!isWanted) {
      others.headOption.foreach { case (_, owner) =>
        throw CheckpointErrors.joinRefused(
          owner.name,
          "it has no longer a time on each side by which rows leave the state"
        )
      }
      missing.headOption.foreach { id =>
        val name =
          StatefulOperators.withOwnId(plan, id).getOrElse(s"the operator with the number $id")
        throw CheckpointErrors.joinRefused(name, "the query has no join of streams there")
      }
    }
    for ((join, owner) <- possible) {
      val id = StatefulOperators.ownId(plan, owner.name)
      if (stored(id)) checkpoint.stateSchema(id).foreach(checkTimes(join, owner, _))
    }
    possible.map(_._2.name).toSet
  }

  /**
   * The state knows from when to when its chunks have rows: by the times of before. A column with a
   * name that the rows of before do not have is one that was renamed, if the former name is gone.
   */
  private def checkTimes(
      join: Join,
      owner: OperatorName,
      schema: StateStoreColFamilySchema
  ): Unit = IntervalJoin.timesIn(schema.keySchema).foreach { case (left, right) =>
    for {
      (side, name, before) <- Seq((join.left, "left", left), (join.right, "right", right))
      now <- timesOf(side, owner).map(_.time.name)
      isThere = columnsIn(schema, name).contains(now) || side.output.exists(_.name == before)
      if now != before && isThere
    } throw CheckpointErrors.joinRefused(
      owner.name,
      s"the rows of its $name side are joined by `$now` now, and were joined by `$before` before"
    )
  }

  private def columnsIn(schema: StateStoreColFamilySchema, side: String): Seq[String] =
    schema.valueSchema(side).dataType match {
      case ArrayType(row: StructType, _) => row.fieldNames.toSeq
      case _                             => Nil
    }

  /** The names of the joins in a new query that has no setting against them. */
  private[tidegate] def ofNew(plan: LogicalPlan): Set[String] =
    if (!Settings.IntervalJoinEnabled.in(plan.conf)) Set.empty
    else joinsOf(plan).collect { case (join, owner) if isPossible(join, owner) => owner.name }.toSet

  private def joinsOf(plan: LogicalPlan): Seq[(Join, OperatorName)] = for {
    join <- plan.collect { case StreamJoin(join) => join }
    owner <- StatefulOperators.nameInQuery(join)
  } yield join -> owner

  private def isPossible(join: Join, owner: OperatorName): Boolean =
    join.children.forall(timesOf(_, owner) match {
      case Seq(drop) => drop.eviction.isDefined && !drop.isPlain
      case _         => false
    })

  private def timesOf(side: LogicalPlan, owner: OperatorName): Seq[DropLate] =
    side.collect { case d: DropLate if d.owner == owner => d }
}
