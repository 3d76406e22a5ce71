package tidegate.own

import scala.annotation.unused

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state.StateStoreColFamilySchema
import tidegate.core.clock.OperatorMark
import tidegate.operators.StatefulOperators
import tidegate.plans.{OperatorName, OwnState}
import tidegate.settings.Setting

/**
 * What an operator of our own is. Each has a folder with its logical node, this description, its
 * physical node and its rows. One rule decides for all of them when a query starts.
 */
private[tidegate] trait OwnOperator {

  /** The name in the progress of a query, in the metadata of the state, and in its mark. */
  def kind: String

  /** What the operator makes, as users call it; also the name of its folder and of its settings. */
  def noun: String

  /**
   * What the operator is called in a query, without a number; by which of Spark's it stands for.
   */
  def names: Seq[String]

  /** Whether new queries use the operator; none if Spark has no operator in its place. */
  def enabled: Option[Setting[Boolean]]

  /** The claim on a node of a query, which may be this operator; none for all other nodes. */
  def claim(node: LogicalPlan): Option[Claim]

  /** What a checkpoint has, in words. */
  def inWords(stored: StoredState): String

  /** What the query must have to continue with a state. */
  def needed: String

  /**
   * How a state continues that means something else than before: what is to be known about it, if
   * there is anything; or why the query cannot continue with the state.
   */
  def changed(operator: String, before: StoredState, now: OwnState): Either[String, Option[Change]]

  /**
   * The plan of a query that is about to start, in which nodes are made in a shorter way.
   *
   * @param reason
   *   why a node that may be this operator is Spark's; none if it is ours
   * @throws org.apache.spark.sql.AnalysisException
   *   if a node that is Spark's would be too expensive
   */
  def prepared(
      plan: LogicalPlan,
      @unused reason: LogicalPlan => Option[String]
  ): LogicalPlan = plan

  /** Plans a logical node of the operator; undefined for all other nodes. */
  def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan]
}

/**
 * A node of a query that may be an operator of our own.
 *
 * @param owner
 *   the name of the operator; none if it keeps late rows
 * @param keys
 *   what the state has rows for
 * @param isAppendOnly
 *   whether only output mode append has the rows that our operator emits
 * @param isKeptForSpark
 *   whether our operator gains little, so that a job that may return to Spark keeps Spark's state
 * @param state
 *   what the state means, from the schema that it has in the checkpoint; or why the node cannot be
 *   our operator
 * @param plan
 *   puts our logical node in its place, in the plan of a batch
 */
private[tidegate] final case class Claim(
    owner: Option[OperatorName],
    keys: Seq[Expression],
    isAppendOnly: Boolean,
    isKeptForSpark: Boolean,
    state: Option[StateStoreColFamilySchema] => Either[String, OwnState],
    plan: OwnState => LogicalPlan
)

private[tidegate] object Claim {

  /**
   * The claim on a node that stands for nothing of Spark's, so that it is always our own; none
   * before the start.
   */
  def always(node: LogicalPlan, state: => OwnState, isAppendOnly: Boolean = false): Option[Claim] =
    StatefulOperators.nameInQuery(node).map { owner =>
      Claim(Some(owner), Nil, isAppendOnly, isKeptForSpark = false, _ => Right(state), _ => node)
    }
}

/**
 * The state of an operator of our own in a checkpoint.
 *
 * @param kind
 *   the operator: its `kind`
 * @param operator
 *   the name of the operator, if the query has one in its place
 * @param mark
 *   what the clock knows of the operator at the end of the last committed batch
 */
private[tidegate] final case class StoredState(
    id: Long,
    kind: String,
    operator: Option[String],
    schema: Option[StateStoreColFamilySchema],
    mark: Option[OperatorMark]
) {

  /** What the state is. */
  def stateMark: Option[StateMark] = schema.flatMap(s => StateMark.of(s.keySchema))

  /** For messages. */
  def name: String = operator.getOrElse(s"the operator with the number $id")

  /** As `name`, where a name has to be told from words. */
  def inWords: String = operator.fold(name)(n => s"`$n`")
}

/**
 * What is to be known about a state that means something else than before.
 *
 * @param isExact
 *   whether all results are as if the query had always been like this
 */
private[tidegate] final case class Change(words: String, isExact: Boolean)
