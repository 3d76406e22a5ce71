package tidegate.planning

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition}
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.{SortExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.{Shuffles, StateStoreWriter}
import tidegate.clock.RunningBatch
import tidegate.execution.{DescribesItself, KeyedWatermarkExec}
import tidegate.own.OwnOperatorExec
import tidegate.settings.Settings

/**
 * Lets a batch close what its own rows close.
 *
 * A shuffle is a barrier: when the stages below have ended, all times of the batch are known, and
 * the operators behind it have not begun. So this node, which stands above all operators, first
 * runs the stages with the watermarks, then lets the clock step, and only then executes the
 * operators. These find the watermarks to which the batch has come.
 *
 * @param isWanted
 *   whether the session wants this
 * @param batch
 *   the batch; none outside of a query
 */
final case class ClosingExec(
    isWanted: Boolean,
    @transient batch: Option[RunningBatch],
    child: SparkPlan
) extends UnaryExecNode
    with DescribesItself {
  import ClosingExec._

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  /** The shuffles above the watermarks, or why the plan closes in the next batch. */
  @transient private lazy val barrier: Either[String, Seq[ShuffleExchangeLike]] =
    if (isWanted) barrierOf(child)
    else Left(s"${Settings.ClosesInSameBatch.key} is nextBatch")

  /**
   * The plan with a shuffle below each operator whose rows come from one partition: there Spark
   * plans none.
   */
  def withShuffles: ClosingExec =
    if (isWanted && refusal(child).isEmpty) copy(child = child.transformUp {
      case own: OwnOperatorExec => own.withNewChildren(own.children.map(shuffled))
    })
    else this

  override def describe: String = barrier match {
    case Right(_)     => "in the same batch"
    case Left(reason) => s"in the next batch: $reason"
  }

  override def simpleString(maxFields: Int): String = s"$nodeName: $describe"

  override protected def doExecute(): RDD[InternalRow] = {
    for (running <- batch if running.mayMove; shuffles <- barrier) {
      Shuffles.await(shuffles)
      running.step()
    }
    child.execute()
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ClosingExec =
    copy(child = newChild)
}

private object ClosingExec {

  private def barrierOf(plan: SparkPlan): Either[String, Seq[ShuffleExchangeLike]] =
    refusal(plan)
      .orElse(unbarred(plan).map { node =>
        s"the rows of the watermark `${node.spec.name}` pass no shuffle"
      })
      .toLeft(lowest(plan))

  /** Why a plan cannot close in the same batch, wherever its shuffles are. */
  private def refusal(plan: SparkPlan): Option[String] = {
    val (own, others) = plan
      .collect { case operator: StateStoreWriter => operator }
      .partition(_.isInstanceOf[OwnOperatorExec])
    val nodes = plan.collect { case node: KeyedWatermarkExec => node }
    if (own.isEmpty && others.isEmpty) Some("the query has no operator with a state")
    else
      others.headOption
        .map(other => s"the operator ${other.shortName} is Spark's")
        .orElse(nodes.find(_.left.exists(_.isInstanceOf[StateStoreWriter])).map { node =>
          s"the watermark `${node.spec.name}` stands above an operator with a state"
        })
        .orElse(nodes.find(_.spec.slowestOf.isDefined).map { _ =>
          s"${Settings.SlowestDecides.key} is slowest, so rows are late as in Spark"
        })
  }

  /** A watermark whose rows reach the top of a plan without a shuffle. */
  private def unbarred(plan: SparkPlan): Option[KeyedWatermarkExec] = plan match {
    case _: ShuffleExchangeLike   => None
    case node: KeyedWatermarkExec => Some(node)
    case other                    => other.children.iterator.flatMap(unbarred(_)).nextOption()
  }

  /** The lowest shuffles above the watermarks. */
  private def lowest(plan: SparkPlan): Seq[ShuffleExchangeLike] = plan match {
    case shuffle: ShuffleExchangeLike if unbarred(shuffle.child).isDefined => Seq(shuffle)
    case other => other.children.flatMap(lowest)
  }

  /** Below the order of the rows, which a shuffle would not keep. */
  private def shuffled(input: SparkPlan): SparkPlan = input match {
    case sort: SortExec => sort.copy(child = shuffled(sort.child))
    case other if unbarred(other).isDefined && isWhole(other) =>
      ShuffleExchangeExec(SinglePartition, other)
    case other => other
  }

  private def isWhole(plan: SparkPlan): Boolean = plan.outputPartitioning.numPartitions == 1
}
