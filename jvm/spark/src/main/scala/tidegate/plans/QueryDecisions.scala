package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import tidegate.core.clock.{FormerNames, QuerySpec}
import tidegate.core.window.WindowGrid

/** What the state of one of our own operators means, as far as others than the operator need it. */
trait OwnState {

  /** The operator: its `kind`. */
  def kind: String

  /** The windows, if the state has frames. */
  def windows: Option[WindowGrid] = None

  /** The gap of the sessions in µs, if the state has sessions. */
  def gapMicros: Option[Long] = None
}

/**
 * Which operators of a query are our own.
 *
 * @param states
 *   what their states mean, by the names of the operators
 * @param against
 *   why an operator that might be our own is Spark's, by its name; by `None`, an operator without a
 *   name: it keeps late rows
 */
final case class OwnDecisions(
    states: Map[String, OwnState],
    against: Map[Option[String], OfSpark]
)

/**
 * An operator that might be our own, and is Spark's.
 *
 * @param kind
 *   the kind of our operator
 * @param reason
 *   why it is Spark's
 */
final case class OfSpark(kind: String, reason: String)

/**
 * What was decided at the start of a query, from its whole plan and its checkpoint.
 *
 * @param time
 *   the watermarks with their final names and emissions, and the operators with their bounds
 * @param own
 *   which operators are our own
 * @param former
 *   what the checkpoint calls the operators
 * @param isNumbered
 *   whether Spark has numbered the states of the checkpoint, in the order of the plan
 * @param isNew
 *   whether the checkpoint had no batch that had come to its end
 */
final case class QueryDecisions(
    time: QuerySpec,
    own: OwnDecisions,
    former: FormerNames,
    isNumbered: Boolean,
    isNew: Boolean
)

/** A streaming query, with what was decided about its own operators. */
sealed trait DecidedQuery extends UnaryNode {

  def own: OwnDecisions

  override def output: Seq[Attribute] = child.output

  override protected def stringArgs: Iterator[Any] = Iterator.empty
}

/**
 * The plan of a streaming query that was made ready to start; its decisions apply to all batches.
 */
final case class PreparedQuery(decisions: QueryDecisions, child: LogicalPlan) extends DecidedQuery {

  override def own: OwnDecisions = decisions.own

  override protected def withNewChildInternal(newChild: LogicalPlan): PreparedQuery =
    copy(child = newChild)
}

/**
 * The plan of a streaming query that nobody has started, as `EXPLAIN` and `df.explain()` show it:
 * with the decisions of a new query.
 */
final case class ExplainedQuery(own: OwnDecisions, child: LogicalPlan) extends DecidedQuery {

  override protected def withNewChildInternal(newChild: LogicalPlan): ExplainedQuery =
    copy(child = newChild)
}
