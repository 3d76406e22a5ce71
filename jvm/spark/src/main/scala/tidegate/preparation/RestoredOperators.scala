package tidegate.preparation

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.StateCheckpoint
import tidegate.core.clock.{FormerNames, OperatorPlace}
import tidegate.errors.OperatorErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.{DropLate, OperatorName}

/**
 * The operators of a query as its checkpoint has them, if operators were given names in the query
 * or in the checkpoint. An operator is found by its name, or else by the name that it has without:
 * so a name can be added, changed or removed as long as the operator stays where it is.
 *
 * @param plan
 *   the query, with its `DropLate`s
 */
private[tidegate] final class RestoredOperators(plan: LogicalPlan, checkpoint: StateCheckpoint)
    extends Logging {

  private val owners: Seq[OperatorName] =
    plan.collect(Function.unlift(StatefulOperators.nameInQuery)).distinct
  private val stored = checkpoint.places

  /** What the checkpoint calls each operator that has another name now. */
  private val before: Map[OperatorName, String] = {
    val unclaimed = stored -- owners.map(_.name)
    def byDefault(owner: OperatorName) =
      unclaimed.collectFirst { case (name, place) if place.default == owner.default => name }
    val unknown = owners.filterNot(owner => stored.contains(owner.name))
    unknown
      .flatMap(o => (if (stored.isEmpty) Some(o.default) else byDefault(o)).map(o -> _))
      .filter { case (owner, name) => owner.name != name }
      .toMap
  }

  /** The names of the checkpoint. */
  val former: FormerNames =
    FormerNames(stored, before.map { case (owner, name) => name -> owner.name })

  /** Whether Spark has numbered the states of the checkpoint, in the order of the plan. */
  val isNumbered: Boolean = checkpoint.isNumberedBySpark

  private def nameBefore(owner: OperatorName): String = before.getOrElse(owner, owner.name)

  private def placeOf(owner: OperatorName): Option[OperatorPlace] = stored.get(nameBefore(owner))

  /**
   * The plan with the numbers of the checkpoint for our own operators.
   *
   * @throws AnalysisException
   *   if the query has other operators than the checkpoint
   */
  def numbered: LogicalPlan = {
    check()
    before.foreach { case (owner, name) =>
      if (checkpoint.exists)
        logInfo(s"The operator `${owner.name}` continues with the state of `$name`.")
    }
    val own = owners
      .flatMap(owner => placeOf(owner).map(owner -> _.state))
      .filter { case (_, state) => state >= DropLate.FirstStateId }
      .toMap
    val free = Iterator.iterate(DropLate.FirstStateId)(_ + 1).filterNot(own.values.toSet)
    if (own.isEmpty) plan
    else
      plan.transformDown { case d: DropLate =>
        d.copy(stateId = own.getOrElse(d.owner, free.next()))
      }
  }

  private def check(): Unit = if (stored.nonEmpty) {
    val added = owners.filter(placeOf(_).isEmpty).map(_.name)
    val removed = (stored.keySet -- owners.map(nameBefore)).toSeq.sorted
    if (added.nonEmpty || removed.nonEmpty) throw OperatorErrors.operatorsChanged(added, removed)
  }

  /**
   * Where each operator keeps its state, by its name; nothing if no operator was ever given one.
   *
   * @param ours
   *   the names of the operators of the query that are our own instead of Spark's
   */
  def places(query: LogicalPlan, ours: Set[String]): Map[String, OperatorPlace] =
    if (stored.isEmpty && !owners.exists(_.isGiven)) Map.empty
    else {
      val (own, ofSpark) = RestoredOperators.byKind(query, ours)
      val ownPlaces = own.flatMap(_._2).map { owner =>
        owner.name -> OperatorPlace(owner.default, StatefulOperators.ownId(query, owner.name))
      }
      val placesOfSpark = ofSpark.zipWithIndex.collect { case ((_, Some(owner)), i) =>
        owner.name -> OperatorPlace(owner.default, placeOf(owner).fold(i.toLong)(_.state))
      }
      (ownPlaces ++ placesOfSpark).toMap
    }
}

private[preparation] object RestoredOperators {

  /**
   * The stateful operators of a query with their names: our own, and those of Spark.
   *
   * @param ours
   *   the names of the operators that are our own instead of Spark's
   */
  def byKind(
      query: LogicalPlan,
      ours: Set[String]
  ): (Seq[(LogicalPlan, Option[OperatorName])], Seq[(LogicalPlan, Option[OperatorName])]) =
    query
      .collect { case o if StatefulOperators.isOne(o) => o -> StatefulOperators.nameInQuery(o) }
      .partition { case (_, owner) =>
        owner.exists(o => ours(o.name))
      }
}
