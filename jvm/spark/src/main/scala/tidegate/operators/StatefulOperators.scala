package tidegate.operators

import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.StreamingGlobalLimitExec
import tidegate.plans.{DropLate, OperatorName, OwnNode}

/** The stateful operators that may run over keyed watermarks; finds them in plans. */
object StatefulOperators {

  private val all: Seq[TimedOperator] = Seq(
    AggregateOperator,
    Deduplications.OfRows,
    Deduplications.ByKeys,
    Deduplications.WithinWatermark,
    StateFunctions.FlatMapGroups,
    StateFunctions.ApplyInPandas,
    StateFunctions.Transform,
    StateFunctions.TransformInPandas,
    StreamJoin,
    AsOfJoin,
    OrderByEventTime,
    OverByEventTime,
    LimitOperator
  )

  /** Which operator a logical node over a stream is; `None` if the node keeps no state. */
  private[tidegate] def of(plan: LogicalPlan): Option[TimedOperator] =
    if (!plan.children.headOption.exists(_.isStreaming)) None else all.find(_.is(plan))

  /** A logical node that is an operator with one input, and which one. */
  private[tidegate] object OneInput {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, OneInputOperator)] =
      of(plan).collect { case o: OneInputOperator => plan -> o }
  }

  /** The operator of a kind. */
  private[tidegate] def named(kind: String): Option[TimedOperator] = all.find(_.name == kind)

  /** Whether Spark plans one of the operators as this node. */
  def isPlannedAs(node: SparkPlan): Boolean = all.exists(_.isPlannedAs(node))

  /** The names of the operators. */
  def names: Seq[String] = all.map(_.name)

  /** The name of a stateful operator; `None` for all other nodes. */
  def name(plan: LogicalPlan): Option[String] = of(plan).map(_.name)

  def isOne(plan: LogicalPlan): Boolean = of(plan).isDefined

  def existIn(plan: LogicalPlan): Boolean = plan.exists(isOne)

  /**
   * The name of an operator in a query that has started; `None` if no late rows are dropped for it.
   */
  def nameInQuery(operator: LogicalPlan): Option[OperatorName] =
    name(operator).flatMap(kind =>
      operator.children.flatMap(nearest).map(_.owner).find(_.kind == kind)
    )

  private def nearest(plan: LogicalPlan): Seq[DropLate] = plan match {
    case d: DropLate      => d +: nearest(d.child)
    case _: OwnNode       => Nil
    case _ if isOne(plan) => Nil
    case other            => other.children.flatMap(nearest)
  }

  /** The number under which one of our own operators keeps its state. */
  def ownId(plan: LogicalPlan, operator: String): Long = {
    val ids = plan.collect { case d: DropLate if d.owner.name == operator => d.stateId }
    ids.minOption.getOrElse {
      throw new NoSuchElementException(s"the plan has no operator $operator")
    }
  }

  /** The operator that keeps its state under a number. */
  def withOwnId(plan: LogicalPlan, id: Long): Option[String] =
    plan.collectFirst { case d: DropLate if d.stateId == id => d.owner.name }
}

/** Limits: their state is a number of rows, without a time. */
private[tidegate] object LimitOperator extends TimedOperator {

  override val name: String = "limit"

  override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[GlobalLimit]

  override def isPlannedAs(node: SparkPlan): Boolean = node.isInstanceOf[StreamingGlobalLimitExec]
}
