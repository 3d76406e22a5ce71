package tidegate.own.sessions

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators

/** Whether a query can continue with the sessions of its checkpoint that are Tidegate's own. */
private[tidegate] object RestoredSessions extends Logging {

  /** Whether the checkpoint has our sessions of an aggregation. */
  def exist(plan: LogicalPlan, a: Aggregate, checkpoint: StateCheckpoint): Boolean =
    StatefulOperators
      .nameInQuery(a)
      .map(operator => StatefulOperators.ownId(plan, operator.name))
      .exists(id => checkpoint.operators.get(id).contains(SessionAggregate.StateName))

  /**
   * Logs all gaps that were changed.
   *
   * @throws AnalysisException
   *   if the checkpoint has sessions that the query cannot use
   */
  def check(plan: LogicalPlan, decisions: SessionDecisions, checkpoint: StateCheckpoint): Unit =
    changes(plan, decisions, checkpoint).values.foreach(logWarning(_))

  /**
   * A verdict for the sessions of each operator whose gap was changed, by the name of the operator.
   *
   * @throws AnalysisException
   *   if the checkpoint has sessions that the query cannot use
   */
  def changes(
      plan: LogicalPlan,
      decisions: SessionDecisions,
      checkpoint: StateCheckpoint
  ): Map[String, String] = {
    val ids = checkpoint.operators.filter(_._2 == SessionAggregate.StateName).keys.toSeq.sorted
    ids.flatMap { id =>
      val (operator, gap) = decisions.gapsMicros
        .find { case (operator, _) => StatefulOperators.ownId(plan, operator) == id }
        .getOrElse(throw refused(plan, id, decisions, checkpoint))
      gapOf(operator, checkpoint).filter(_ != gap).map { before =>
        val changed = s"from ${SessionAggregate.described(before)} to " +
          SessionAggregate.described(gap)
        operator -> s"The sessions of $operator were changed $changed: $KeepTheirEnds"
      }
    }.toMap
  }

  /** How a verdict ends. */
  private val KeepTheirEnds: String =
    "compatible, sessions that are open keep their ends until a row joins them."

  private def gapOf(operator: String, checkpoint: StateCheckpoint): Option[Long] =
    checkpoint.marks.get(operator).flatMap(_.gapMicros)

  private def refused(
      plan: LogicalPlan,
      id: Long,
      decisions: SessionDecisions,
      checkpoint: StateCheckpoint
  ) = {
    val operator =
      StatefulOperators.withOwnId(plan, id).getOrElse(s"the operator with the number $id")
    val reason = decisions.against.get(operator).map(r => s"the query cannot use them: $r")
    CheckpointErrors.sessionsRefused(
      operator,
      gapOf(operator, checkpoint).fold("a gap")(gap =>
        SessionAggregate.described(gap).stripPrefix("sessions with ")
      ),
      reason.getOrElse("the query has no sessions there")
    )
  }
}
