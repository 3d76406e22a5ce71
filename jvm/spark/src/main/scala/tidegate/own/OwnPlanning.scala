package tidegate.own

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.StatefulOperatorStateInfo
import tidegate.clock.RunningQuery
import tidegate.core.clock.OperatorBatch
import tidegate.settings.Settings
import tidegate.statistics.{DonePartitions, DueTimes}

/**
 * What one of our own operators has in one batch of its query. Outside of a query it has nothing of
 * this.
 *
 * @param name
 *   the name of the operator
 * @param watermarks
 *   asks for its watermarks, which are final once the operator is executed
 * @param stateInfo
 *   where its state is
 * @param due
 *   what its tasks tell of the times at which something is due, for each input that has a time of
 *   its own
 */
final case class OperatorContext(
    name: Option[String],
    @transient watermarks: () => OperatorBatch,
    stateInfo: Option[StatefulOperatorStateInfo],
    due: Seq[DueTimes]
) {

  /** The watermarks, when the operator is executed. */
  def times: OperatorBatch = watermarks()
}

/** The batch in which our own operators are planned. */
private[tidegate] final class OwnPlanning(
    session: SparkSession,
    val planLater: LogicalPlan => SparkPlan
) {
  private def query: Option[RunningQuery] = RunningQuery.current(session.sparkContext)

  /**
   * The query that an operator is part of, if it is planned for a batch of that query.
   *
   * @param input
   *   the name under which the operator drops late rows: its own, or that of a side
   */
  private def running(input: String): Option[RunningQuery] =
    query.filter(_.operators.exists(_.operator == input))

  /**
   * The context of an operator with one input.
   *
   * @param operator
   *   the name of the operator; none if the query has not started
   * @param lowestMs
   *   the lowest value of the watermark, in epoch ms
   * @param isWhole
   *   whether the state has only one partition
   */
  def context(
      operator: Option[String],
      lowestMs: Long = OperatorBatch.NothingLate,
      isWhole: Boolean = false
  ): OperatorContext = contextOf(operator, operator.toSeq, isWhole) match {
    case context @ OperatorContext(Some(name), _, _, _) =>
      running(name).fold(context) { q =>
        context.copy(watermarks = q.operatorTimes(name, lowestMs))
      }
    case none => none
  }

  /**
   * The context of an operator whose watermarks come later.
   *
   * @param inputs
   *   the names under which late rows of each input are dropped
   */
  def contextOf(
      operator: Option[String],
      inputs: Seq[String],
      isWhole: Boolean = false
  ): OperatorContext = {
    val found = for (name <- operator; q <- inputs.headOption.flatMap(running)) yield name -> q
    found.fold(OperatorContext(None, () => OperatorBatch.none, None, Nil)) { case (name, q) =>
      val placed = q.stateInfo(name)
      // Spark expects each partition of the state to be committed in every batch.
      val state = if (isWhole) placed.copy(numPartitions = 1) else placed
      OperatorContext(
        Some(name),
        () => OperatorBatch.none,
        Some(state),
        inputs.flatMap(due(q, _, state))
      )
    }
  }

  /**
   * What the tasks of the batch tell the clock. They tell nothing in a run that ends by itself,
   * because the next run shall begin with the time to which this one has come; nor where operators
   * run on the slowest watermark, as in Spark.
   */
  private def due(
      q: RunningQuery,
      input: String,
      state: StatefulOperatorStateInfo
  ): Option[DueTimes] =
    Option.when(
      Settings.NoDataBatchesOnlyWhenDue.in(session.sessionState.conf) &&
        !q.clock.endsByItself && !q.nodes.exists(_.spec.slowestOf.isDefined)
    ) {
      val times = DueTimes.in(session.sparkContext, state.numPartitions)
      q.clock.register(input, times)
      times
    }

  /**
   * Where tasks note that they have brought the rows of an earlier run to their places; none if all
   * have.
   */
  def restores(context: OperatorContext): Option[DonePartitions] = for {
    name <- context.name
    state <- context.stateInfo
    q <- query
    done <- q.clock.restores(name, DonePartitions.in(session.sparkContext, state.numPartitions))
  } yield done
}
